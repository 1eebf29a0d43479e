package io.psf.cli;

import io.psf.api.Role;
import io.psf.api.Waiting;
import io.psf.api.spi.NodeReport;
import io.psf.cli.Finding.Cause;
import io.psf.runtime.ClusterSummary;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SortedMap;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * What a job waits for, as sentences: from the time that the workers wait for each function, and from what the servers
 * do in that time. Makes no calls.
 */
final class Explanation {
    /** Causes of a smaller share of the time are not worth a change. */
    private static final double LEAST = 0.15;
    /** The most causes that are named. */
    private static final int MOST = 3;
    /** The share of the time from which on a lane has more work than it should. */
    private static final double BUSY = 0.5;
    /** The share of the own work without a running thread from which on it is no work. */
    private static final double IDLE = 0.5;
    /** The bytes of a call from which on they, and not the way, take the time. */
    private static final long LARGE = 32 << 10;

    private final JobSample sample;
    private final WorkerTimes workers;
    private final ServerTimes servers;
    private final List<Finding> findings = new ArrayList<>();

    private Explanation(JobSample sample) {
        this.sample = sample;
        this.workers = new WorkerTimes(sample.workers());
        this.servers = new ServerTimes(sample);
    }

    /** Returns the causes, those of the largest shares first; never empty. */
    static List<Finding> of(JobSample sample) {
        Explanation explanation = new Explanation(sample);
        explanation.find();
        return explanation.findings.stream()
                .filter(each -> each.share() >= LEAST)
                .sorted(Comparator.comparingDouble(each -> -each.share()))
                .limit(MOST)
                .toList();
    }

    /** Returns the share of its time that a node's process spends in the collector of its heap. */
    static double collected(NodeReport node) {
        return node.nanos() <= 0 ? 0 : Math.min(1, (double) node.collectNanos() / node.nanos());
    }

    private void find() {
        sample.cluster().lost().forEach(this::lost);
        if (sample.workers().isEmpty()) {
            withoutReports();
            return;
        }
        heaps(Role.WORKER, sample.workers());
        if (findings.stream().noneMatch(each -> each.cause() == Cause.HEAP)) {
            heaps(Role.SERVER, servers.reports());
        }
        boolean meetToSave = disk();
        List<String> meetings = workers.functions().stream()
                .filter(each -> isMeeting(each) && !(meetToSave && Meeting.EPOCH.has(each)))
                .toList();
        meeting(meetings);
        for (String function : workers.functions()) {
            if (!isMeeting(function) && !isDisk(function)) {
                call(function, workers.share(function::equals));
            }
        }
        if (findings.stream().noneMatch(each -> each.share() >= LEAST)) {
            ownWork();
        }
    }

    private void lost(ClusterSummary.LostNode node) {
        String name = node.member().role().label() + " " + node.member().rank();
        findings.add(new Finding(
                Cause.ABSENT_NODE,
                1,
                "A node is absent: " + name + " is lost (" + node.reason() + ")."
                        + (node.awaited()
                                ? " Calls that need it wait for another process in its place."
                                : " Nothing is expected in its place."),
                node.awaited()
                        ? "start the " + node.member().role().label() + " again"
                        : "PSF_" + node.member().role().name()
                                + "_RETURN on the scheduler lets another process take its place; now, end the job and"
                                + " start it again"));
    }

    private void heaps(Role role, SortedMap<Integer, NodeReport> reports) {
        reports.entrySet().stream()
                .filter(each -> each.getValue().heapUsed() >= each.getValue().heapMost() / 2) // else it is large enough
                .max(Comparator.comparingDouble(each -> collected(each.getValue())))
                .ifPresent(each -> {
                    NodeReport node = each.getValue();
                    String name = role.label() + " " + each.getKey();
                    findings.add(new Finding(
                            Cause.HEAP,
                            collected(node),
                            "The heap of " + name + " is collected for " + Units.share(collected(node))
                                    + " of the time: " + Units.bytes(node.heapUsed()) + " of "
                                    + Units.bytes(node.heapMost()) + " are used.",
                            "a larger -Xmx of the " + role.label()
                                    + (role == Role.SERVER ? " (PSF_JAVA_OPTS)" : ", or fewer objects in a step")));
                });
    }

    /**
     * True for a function that is answered once other workers have come: its name says that, or its handlers answer
     * later. A function of a user's that answers later may wait for something else, unless all workers call it.
     */
    private boolean isMeeting(String function) {
        if (Meeting.of(function) != Meeting.OTHER) {
            return true;
        }
        JobSample.Load mean = servers.slowest(function);
        return !isDisk(function)
                && (function.startsWith("psf.") || workers.allCall(function))
                && mean.answeredNanos() - mean.waitedNanos() - mean.ranNanos() > 0.5 * mean.answeredNanos()
                && mean.answeredNanos() > 0.5 * meanNanos(workers.sum(function));
    }

    private static long meanNanos(NodeReport.Calls calls) {
        return calls.calls() == 0 ? 0 : calls.nanos() / calls.calls();
    }

    private void meeting(List<String> functions) {
        if (functions.isEmpty()) {
            return;
        }
        Predicate<String> isOne = functions::contains;
        SortedMap<Integer, Double> waits = workers.waits(isOne);
        double share = workers.share(isOne);
        Map.Entry<Integer, Double> least =
                waits.entrySet().stream().min(Map.Entry.comparingByValue()).orElseThrow();
        double others = waits.entrySet().stream()
                .filter(each -> !each.getKey().equals(least.getKey()))
                .mapToDouble(Map.Entry::getValue)
                .average()
                .orElse(0);
        String most = functions.stream()
                .max(Comparator.comparingDouble(each -> workers.share(each::equals)))
                .orElseThrow();
        Meeting meeting = Meeting.of(most);
        if (waits.size() > 1 && others - least.getValue() >= Math.max(LEAST, others / 2)) {
            NodeReport slow = Objects.requireNonNull(sample.workers().get(least.getKey()));
            double own = 1 - Objects.requireNonNull(workers.waits(each -> true).get(least.getKey()));
            findings.add(new Finding(
                    Cause.STRAGGLER,
                    others,
                    "The other workers wait for worker " + least.getKey() + ": they spend " + Units.share(others)
                            + " of their time in " + most + ", " + meeting.waitsFor() + "; worker " + least.getKey()
                            + " spends " + Units.share(least.getValue()) + " there. Its own work takes "
                            + Units.share(own) + " of its time"
                            + (slow.work().idleShare() >= IDLE
                                    ? ", in most of which no thread that makes calls runs."
                                    : ".")
                            + now(isOne),
                    "less work, or a faster machine, for worker " + least.getKey() + "; " + meeting.change()));
        } else {
            findings.add(new Finding(
                    Cause.EACH_OTHER,
                    share,
                    "The workers wait for each other in turn: " + Units.share(share) + " of their time in " + most
                            + ", " + meeting.waitsFor() + "." + now(isOne),
                    "steps that take equally long; " + meeting.change()));
        }
    }

    /** True for a function that writes or reads checkpoints. */
    static boolean isDisk(String function) {
        return function.startsWith("psf.model.") && !function.equals("psf.model.join");
    }

    /**
     * Adds the wait for checkpoints. Workers that save together wait where they meet, while the servers write. Returns
     * true if the workers do so.
     */
    private boolean disk() {
        JobSample.Load work = servers.checkpoints();
        double own = workers.share(Explanation::isDisk);
        double meets = workers.share(Meeting.EPOCH::has);
        double busy = work == null
                ? 0
                : (double) work.answeredNanos() / Math.max(1, sample.time().toNanos());
        boolean isEven = spread(workers.waits(Meeting.EPOCH::has)) < LEAST;
        boolean meetsToSave = meets > 0 && busy >= meets / 20 && isEven; // the server that leads also works by itself
        if (work != null) {
            double share = own + (meetsToSave ? meets : 0);
            findings.add(new Finding(
                    Cause.DISK,
                    share,
                    "The workers wait " + Units.share(share) + " of their time for checkpoints: "
                            + work.function() + " ran " + Units.count(work.requests()) + " times on a server, for "
                            + Units.nanos(work.answeredNanos() / work.requests()) + " each.",
                    "save less often (ModelCheckpoints.everySteps or every), save only the rows that have changed"
                            + " (ModelCheckpoints.incremental), or a faster place (PSF_CHECKPOINTS)"));
        }
        return meetsToSave;
    }

    private static double spread(SortedMap<Integer, Double> shares) {
        var all = shares.values().stream().mapToDouble(Double::doubleValue).summaryStatistics();
        return all.getMax() - all.getMin();
    }

    /** A call that servers answer at once: it waits for a server, or for the way there and back. */
    private void call(String function, double share) {
        NodeReport.Calls calls = workers.sum(function);
        JobSample.Load server = servers.slowest(function);
        long call = Math.max(1, meanNanos(calls));
        String waits = "The workers wait " + Units.share(share) + " of their time for " + function + ". A call takes "
                + Units.nanos(call) + ", of which ";
        long later = server.answeredNanos() - server.waitedNanos() - server.ranNanos();
        String times = Units.nanos(server.waitedNanos()) + " in the queue of a lane and "
                + Units.nanos(server.ranNanos()) + " in its handler"
                + (later > server.answeredNanos() / 10 ? ", which answers " + Units.nanos(later) + " later" : "");
        if (server.answeredNanos() >= call / 2) {
            busy(waits + times + ".", share);
            return;
        }
        long bytes = calls.calls() == 0 ? 0 : (calls.sent() + calls.received()) / calls.calls();
        double seconds = Math.max(1e-9, sample.time().toNanos() / 1e9);
        String rest =
                waits + Units.nanos(call - server.answeredNanos()) + " on the way there and back, " + times + ". ";
        if (bytes >= LARGE) {
            findings.add(new Finding(
                    Cause.NETWORK_BYTES,
                    share,
                    rest + "It waits for the network: " + Units.bytes(bytes) + " a call, "
                            + Units.bytes(Math.round((calls.sent() + calls.received()) / seconds)) + " a second.",
                    "fewer bytes: TensorSpec.wire(FLOAT16), EmbeddingCache for rows that come again, pulls of the rows"
                            + " that a step needs; or a step that computes while the next pull is under way"));
        } else {
            findings.add(new Finding(
                    Cause.NETWORK_CALLS,
                    share,
                    rest + "It waits for the way of many small calls: " + Units.bytes(bytes) + " a call, "
                            + Units.rate(calls.calls() / seconds) + " calls a second.",
                    "several calls under way (await later), calls that go together (Worker.chain, Tensors.pushPull), or"
                            + " larger batches"));
        }
    }

    private void busy(String says, double share) {
        JobSample.Slice slice = servers.busiestSlice();
        int busiest = servers.busiest();
        double busy = servers.busy(busiest);
        if (slice != null && servers.busy(slice) >= BUSY && servers.othersOf(slice) <= servers.busy(slice) / 2) {
            double others = servers.othersOf(slice);
            String runs = " One lane runs the handlers of slice " + slice.slice() + " of tensor \"" + slice.tensor()
                    + "\" for " + Units.share(servers.busy(slice)) + " of the time";
            findings.add(
                    others < 0
                            ? new Finding(
                                    Cause.ONE_LANE,
                                    share,
                                    says + runs + ": the tensor has no other slice.",
                                    "more slices (TensorSpec.slices), which spread over servers and lanes")
                            : new Finding(
                                    Cause.HOT_KEYS,
                                    share,
                                    says + runs + ", and its other slices for " + Units.share(others)
                                            + " on average: a few keys have most of the work.",
                                    "EmbeddingCache keeps rows that come often on the workers; more slices"
                                            + " (TensorSpec.slices) part the hot keys"));
        } else if (servers.count() > 1 && servers.others(busiest) <= busy / 2) {
            findings.add(new Finding(
                    Cause.ONE_SERVER,
                    share,
                    says + " Server " + busiest + " runs handlers for " + Units.share(busy)
                            + " of the time, the others for " + Units.share(servers.others(busiest)) + ".",
                    "more slices (TensorSpec.slices), which spread over the servers; keys of other owners for functions"
                            + " without a tensor"));
        } else {
            findings.add(new Finding(
                    Cause.ALL_SERVERS,
                    share,
                    says + " The servers run handlers for " + Units.share(servers.mean()) + " of the time on average.",
                    "more servers (PSF_SERVERS), more lanes (PSF_LANES) with more slices (TensorSpec.slices), or fewer and"
                            + " larger calls"));
        }
    }

    /** Returns what calls of a function wait for now, as a sentence; empty if none waits. */
    private String now(Predicate<String> functions) {
        return sample.waiting().stream()
                .filter(each ->
                        functions.test(each.function()) && !each.awaited().isEmpty())
                .max(Comparator.comparingLong(Waiting::nanos))
                .map(each -> " At the last visit, " + each.function() + " waited for workers " + each.awaited()
                        + ", for " + Units.nanos(each.nanos()) + ".")
                .orElse("");
    }

    private void ownWork() {
        double own = workers.own();
        double idle = workers.idle();
        String servers = "The servers run handlers for " + Units.share(this.servers.mean()) + " of the time.";
        if (idle >= IDLE) {
            findings.add(new Finding(
                    Cause.OUTSIDE,
                    own,
                    "The workers wait for something outside of psf: they wait for calls for " + Units.share(1 - own)
                            + " of their time, and for " + Units.share(own * idle)
                            + " no thread that makes calls runs. "
                            + servers,
                    "look at what the program reads, at its locks, and at threads that sleep"));
        } else {
            findings.add(new Finding(
                    Cause.NONE,
                    own,
                    "Nothing in psf slows this job down: the workers do their own work for " + Units.share(own)
                            + " of their time. " + servers,
                    "more workers make it faster, or a faster step"));
        }
    }

    /** The servers alone have told what they do. */
    private void withoutReports() {
        String ranks = sample.cluster().members().stream()
                .filter(each -> each.role() == Role.WORKER)
                .map(each -> String.valueOf(each.rank()))
                .collect(Collectors.joining(", "));
        int busiest = servers.busiest();
        findings.add(new Finding(
                servers.busy(busiest) >= 0.5 ? Cause.ALL_SERVERS : Cause.OUTSIDE,
                1,
                (ranks.isEmpty()
                                ? "No worker is here."
                                : "No worker has told what it waits for (workers " + ranks
                                        + "; those in Python do not tell).")
                        + " The servers run handlers for " + Units.share(servers.mean()) + " of the time"
                        + (busiest < 0
                                ? "."
                                : ", server " + busiest + " for " + Units.share(servers.busy(busiest)) + ".")
                        + now(each -> true),
                ""));
    }
}
