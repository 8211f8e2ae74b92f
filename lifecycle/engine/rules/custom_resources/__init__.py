"""Custom resources: what a CustomResourceDefinition says of them, and what its schemas make of an object.

Modelled: structural OpenAPI v3 schemas (types, bounds, formats, nullable, defaults, pruning), rules
(`x-kubernetes-validations`), several versions without conversion, the subresources status and scale, printer
columns. Left out: conversion webhooks, of which whoever creates such a definition is warned.
"""
