// What a controller or a page's back end does with the official JavaScript client: prints what it saw as JSON.
import * as k8s from "@kubernetes/client-node";

const config = new k8s.KubeConfig();
config.loadFromFile(process.argv[2]);
const namespace = process.argv[3];
const core = config.makeApiClient(k8s.CoreV1Api);
const apps = config.makeApiClient(k8s.AppsV1Api);
const objects = k8s.KubernetesObjectApi.makeApiClient(config);
const told = { informer: [] };

const sleep = (ms) => new Promise((done) => setTimeout(done, ms));

async function until(what, holds) {
    const deadline = Date.now() + 60000;
    while (!(await holds())) {
        if (Date.now() > deadline) throw new Error(`never: ${what}`);
        await sleep(100);
    }
}

const web = (image, replicas) => ({
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "web", namespace },
    spec: {
        replicas,
        selector: { matchLabels: { app: "web" } },
        template: {
            metadata: { labels: { app: "web" } },
            spec: { containers: [{ name: "app", image }] },
        },
    },
});

// An informer of pods: lists, then watches, and lists anew when it is told that its version is gone.
const listPods = () => core.listNamespacedPod({ namespace });
const informer = k8s.makeInformer(config, `/api/v1/namespaces/${namespace}/pods`, listPods);
const ready = new Set();
for (const verb of ["add", "update", "delete"]) {
    informer.on(verb, (pod) => {
        told.informer.push([verb, pod.metadata.name]);
        const condition = (pod.status?.conditions ?? []).find((one) => one.type === "Ready");
        if (verb !== "delete" && condition?.status === "True") ready.add(pod.metadata.name);
        else ready.delete(pod.metadata.name);
    });
}
let isOver = false;
informer.on("error", (problem) => {
    if (isOver) return;
    told.error = String(problem);
    setTimeout(() => informer.start(), 500);
});
await informer.start();

const made = await apps.createNamespacedDeployment({ namespace, body: web("nginx:1.27", 2) });
told.created = made.metadata.creationTimestamp instanceof Date && made.spec.strategy.type;
await until("two are ready", () => ready.size === 2);
told.listed = (await listPods()).items.length;
told.chosen = (await core.listNamespacedPod({ namespace, labelSelector: "app=other" })).items.length;

const strategic = k8s.setHeaderOptions("Content-Type", k8s.PatchStrategy.StrategicMergePatch);
const patch = { spec: { template: { spec: { containers: [{ name: "app", image: "nginx:1.28" }] } } } };
const patched = await apps.patchNamespacedDeployment({ name: "web", namespace, body: patch }, strategic);
told.patched = patched.spec.template.spec.containers.map((one) => one.image);

const operations = [{ op: "replace", path: "/spec/replicas", value: 3 }];
const json = k8s.setHeaderOptions("Content-Type", k8s.PatchStrategy.JsonPatch);
told.operated = (
    await apps.patchNamespacedDeployment({ name: "web", namespace, body: operations }, json)
).spec.replicas;

// Server-side apply: a size that another manager set is a conflict, unless it is taken.
const apply = (force) =>
    objects.patch(
        web("nginx:1.29", 1), undefined, undefined, "javascript", force, k8s.PatchStrategy.ServerSideApply,
    );
try {
    await apply(false);
} catch (problem) {
    told.conflict = [problem.code, JSON.parse(problem.body).reason];
}
told.applied = (await apply(true)).spec.replicas;
await until("one is left", () => ready.size === 1);

try {
    await apps.readNamespacedDeployment({ name: "none", namespace });
} catch (problem) {
    told.missing = problem.code;
}
const review = { apiVersion: "authorization.k8s.io/v1", kind: "SelfSubjectAccessReview",
    spec: { resourceAttributes: { verb: "delete", resource: "pods", namespace } } };
told.allowed = (await config.makeApiClient(k8s.AuthorizationV1Api)
    .createSelfSubjectAccessReview({ body: review })).status.allowed;

const [pod] = ready;
const output = [];
const { Writable } = await import("node:stream");
const sink = new Writable({ write(part, _, done) { output.push(part.toString()); done(); } });
told.exec = await new Promise((done, failed) => {
    new k8s.Exec(config)
        .exec(namespace, pod, "app", ["echo", "from within"], sink, sink, null, false, (status) => done(status.status))
        .catch(failed);
});
await until("it is said", () => output.join("").includes("from within"));
told.said = output.join("");

const metrics = await new k8s.Metrics(config).getPodMetrics(namespace);
told.metrics = metrics.kind ?? "PodMetricsList";

await apps.deleteNamespacedDeployment({ name: "web", namespace, propagationPolicy: "Foreground" });
await until("nothing is left", async () => (await listPods()).items.length === 0);
await until("the informer knows", () => informer.list(namespace).length === 0);
isOver = true;
await informer.stop();
console.log(JSON.stringify(told));
process.exit(0);
