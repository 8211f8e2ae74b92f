"""The certificate our own web server shows, and the authority that a kubeconfig trusts: both made here.

kubectl sends its token over TLS only. The authority is made once and kept; the certificate is made anew at
each start, for the names the server answers to then.
"""

import ipaddress
import os
from datetime import UTC, datetime, timedelta
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

FOLDER = "tls"
LIFETIME = timedelta(days=3650)
_EARLIER = timedelta(days=1)

Pair = tuple[x509.Certificate, ec.EllipticCurvePrivateKey]


def make_certificate(data: Path, names: list[str]) -> tuple[Path, Path]:
    """(the authority's certificate, the server's certificate with its key) below `data`, both PEM files."""
    folder = data / FOLDER
    folder.mkdir(mode=0o700, exist_ok=True)
    authority, server = folder / "authority.pem", folder / "server.pem"
    issuer = _read_pair(folder / "authority.key", authority) or _make_authority(folder)
    _write_pair(server, server, _issue("Podline", _alternatives(names), issuer))
    return authority, server


def _make_authority(folder: Path) -> Pair:
    made = _issue("Podline authority", None, None)
    _write_pair(folder / "authority.key", folder / "authority.pem", made)
    return made


def _issue(name: str, names: x509.SubjectAlternativeName | None, issuer: Pair | None) -> Pair:
    """A certificate and its key: a server's from its issuer, or an authority's own."""
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    now = datetime.now(UTC)
    builder = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer[0].subject if issuer else subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - _EARLIER)
        .not_valid_after(now + LIFETIME)
        .add_extension(x509.BasicConstraints(ca=issuer is None, path_length=None), critical=True)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
        .add_extension(_usage(is_authority=issuer is None), critical=True)
    )
    if issuer is not None and names is not None:
        signer = x509.AuthorityKeyIdentifier.from_issuer_public_key(issuer[1].public_key())
        server = x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH])
        for extension in (names, signer, server):
            builder = builder.add_extension(extension, critical=False)
    return builder.sign(issuer[1] if issuer else key, hashes.SHA256()), key


def _usage(is_authority: bool) -> x509.KeyUsage:
    return x509.KeyUsage(
        digital_signature=not is_authority,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        key_cert_sign=is_authority,
        crl_sign=is_authority,
        encipher_only=False,
        decipher_only=False,
    )


def _alternatives(names: list[str]) -> x509.SubjectAlternativeName:
    """What a client may call the server; `*` (any name at all) is none that a certificate can say."""
    found: list[x509.GeneralName] = []
    for name in dict.fromkeys(names):
        try:
            found.append(x509.IPAddress(ipaddress.ip_address(name.strip("[]").partition("%")[0])))
        except ValueError:
            if name != "*" and name.isascii():
                found.append(x509.DNSName(f"*{name}" if name.startswith(".") else name))
    return x509.SubjectAlternativeName(found)


def _read_pair(key_file: Path, certificate_file: Path) -> Pair | None:
    """A pair kept before; None when there is none, or none that can still be used."""
    try:
        key = serialization.load_pem_private_key(key_file.read_bytes(), None)
        certificate = x509.load_pem_x509_certificate(certificate_file.read_bytes())
    except (OSError, ValueError):
        return None
    is_late = certificate.not_valid_after_utc < datetime.now(UTC) + _EARLIER
    return (certificate, key) if isinstance(key, ec.EllipticCurvePrivateKey) and not is_late else None


def _write_pair(key_file: Path, certificate_file: Path, pair: Pair) -> None:
    certificate = pair[0].public_bytes(serialization.Encoding.PEM)
    key = pair[1].private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    if key_file == certificate_file:
        return _write_private(key_file, certificate + key)
    _write_private(key_file, key)
    certificate_file.write_bytes(certificate)


def _write_private(file: Path, text: bytes) -> None:
    # A new file is its owner's from the first byte on.
    file.unlink(missing_ok=True)
    with os.fdopen(os.open(file, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "wb") as opened:
        opened.write(text)
