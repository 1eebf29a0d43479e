package io.psf.cli;

import io.psf.api.spi.NodeReport;
import io.psf.cli.Finding.Cause;
import java.util.Map;

/** What the workers wait for in calls that servers answer at once: a server, or the way there and back. */
final class CallFindings {
    /** The share of the time from which on a lane has more work than it should. */
    private static final double BUSY = 0.5;
    /** The bytes of a call from which on they, and not the way, take the time. */
    private static final long LARGE = 32 << 10;

    private final JobSample sample;
    private final WorkerTimes workers;
    private final ServerTimes servers;

    CallFindings(JobSample sample, WorkerTimes workers, ServerTimes servers) {
        this.sample = sample;
        this.workers = workers;
        this.servers = servers;
    }

    Finding of(String function) {
        double share = workers.share(function::equals);
        NodeReport.Calls calls = workers.sum(function);
        JobSample.Load server = servers.slowest(function);
        long call = Math.max(1, WorkerTimes.meanNanos(calls));
        String waits = "The workers wait " + Units.share(share) + " of their time for " + function + ". A call takes "
                + Units.nanos(call) + ", of which ";
        long later = server.answeredNanos() - server.waitedNanos() - server.ranNanos();
        String times = Units.nanos(server.waitedNanos()) + " in the queue of a lane and "
                + Units.nanos(server.ranNanos()) + " in its handler"
                + (later > server.answeredNanos() / 10 ? ", which answers " + Units.nanos(later) + " later" : "");
        if (server.answeredNanos() >= call / 2) {
            return busy(waits + times + ".", share);
        }
        String way = waits + Units.nanos(call - server.answeredNanos()) + " on the way there and back, " + times + ". ";
        return network(way, share, calls);
    }

    private Finding network(String says, double share, NodeReport.Calls calls) {
        long all = calls.sent() + calls.received();
        long bytes = calls.calls() == 0 ? 0 : all / calls.calls();
        double seconds = Math.max(1e-9, sample.time().toNanos() / 1e9);
        Map.Entry<Integer, Double> full = sample.full().entrySet().stream()
                .max(Map.Entry.comparingByValue())
                .orElse(Map.entry(0, 0.0));
        if (full.getValue() / seconds >= BUSY) {
            return new Finding(
                    Cause.MEMORY,
                    share,
                    says + "It waits for memory: server " + full.getKey() + " left requests unread for "
                            + Units.share(Math.min(1, full.getValue() / seconds))
                            + " of the time, until those that it has, and their answers, take less of its memory.");
        }
        return bytes >= LARGE
                ? new Finding(
                        Cause.NETWORK_BYTES,
                        share,
                        says + "It waits for the network: " + Units.bytes(bytes) + " a call, "
                                + Units.bytes(Math.round(all / seconds)) + " a second.")
                : new Finding(
                        Cause.NETWORK_CALLS,
                        share,
                        says + "It waits for the way of many small calls: " + Units.bytes(bytes) + " a call, "
                                + Units.rate(calls.calls() / seconds) + " calls a second.");
    }

    private Finding busy(String says, double share) {
        JobSample.Slice slice = servers.busiestSlice();
        int busiest = servers.busiest();
        double busy = servers.busy(busiest);
        if (slice != null && servers.busy(slice) >= BUSY && servers.othersOf(slice) <= servers.busy(slice) / 2) {
            return lane(says, share, slice);
        } else if (servers.count() > 1 && servers.others(busiest) <= busy / 2) {
            return new Finding(
                    Cause.ONE_SERVER,
                    share,
                    says + " Server " + busiest + " runs handlers for " + Units.share(busy)
                            + " of the time, the others for " + Units.share(servers.others(busiest)) + ".");
        }
        return new Finding(
                Cause.ALL_SERVERS,
                share,
                says + " The servers run handlers for " + Units.share(servers.mean()) + " of the time on average.");
    }

    private Finding lane(String says, double share, JobSample.Slice slice) {
        double others = servers.othersOf(slice);
        String runs = says + " One lane runs the handlers of slice " + slice.slice() + " of tensor \"" + slice.tensor()
                + "\" for " + Units.share(servers.busy(slice)) + " of the time";
        return others < 0
                ? new Finding(Cause.ONE_LANE, share, runs + ": the tensor has no other slice.")
                : new Finding(
                        Cause.HOT_KEYS,
                        share,
                        runs + ", and its other slices for " + Units.share(others)
                                + " on average: a few keys have most of the work.");
    }
}
