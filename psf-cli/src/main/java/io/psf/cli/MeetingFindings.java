package io.psf.cli;

import io.psf.api.Waiting;
import io.psf.api.spi.NodeReport;
import io.psf.cli.Finding.Cause;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SortedMap;
import java.util.function.Predicate;

/** Whom the workers wait for where they meet: the slowest one, or each other. */
final class MeetingFindings {
    private final JobSample sample;
    private final WorkerTimes workers;
    private final ServerTimes servers;

    MeetingFindings(JobSample sample, WorkerTimes workers, ServerTimes servers) {
        this.sample = sample;
        this.workers = workers;
        this.servers = servers;
    }

    /**
     * True for a function that is answered once other workers have come: its name says that, or its handlers answer
     * later. A function of a user's that answers later may wait for something else, unless all workers call it.
     */
    boolean isMeeting(String function) {
        if (Meeting.of(function) != Meeting.OTHER) {
            return true;
        }
        JobSample.Load mean = servers.slowest(function);
        return !ServerTimes.isDisk(function)
                && (function.startsWith("psf.") || workers.allCall(function))
                && mean.answeredNanos() - mean.waitedNanos() - mean.ranNanos() > 0.5 * mean.answeredNanos()
                && mean.answeredNanos() > 0.5 * WorkerTimes.meanNanos(workers.sum(function));
    }

    /** Returns the wait in some functions, at least one, by which workers meet. */
    Finding of(List<String> functions) {
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
        if (waits.size() > 1 && others - least.getValue() >= Math.max(Finding.LEAST, others / 2)) {
            NodeReport slow = Objects.requireNonNull(sample.workers().get(least.getKey()));
            double own = 1 - Objects.requireNonNull(workers.waits(each -> true).get(least.getKey()));
            return new Finding(
                    Cause.STRAGGLER,
                    others,
                    "The other workers wait for worker " + least.getKey() + ": they spend " + Units.share(others)
                            + " of their time in " + most + ", " + meeting.waitsFor() + "; worker " + least.getKey()
                            + " spends " + Units.share(least.getValue()) + " there. Its own work takes "
                            + Units.share(own) + " of its time"
                            + (slow.work().idleShare() >= WorkerTimes.IDLE
                                    ? ", in most of which no thread that makes calls runs."
                                    : ".")
                            + now(isOne),
                    "less work, or a faster machine, for worker " + least.getKey() + "; " + meeting.change());
        }
        return new Finding(
                Cause.EACH_OTHER,
                share,
                "The workers wait for each other in turn: " + Units.share(share) + " of their time in " + most + ", "
                        + meeting.waitsFor() + "." + now(isOne),
                "steps that take equally long; " + meeting.change());
    }

    /** Returns what calls of a function wait for now, as a sentence; empty if none waits. */
    String now(Predicate<String> functions) {
        return sample.waiting().stream()
                .filter(each ->
                        functions.test(each.function()) && !each.awaited().isEmpty())
                .max(Comparator.comparingLong(Waiting::nanos))
                .map(each -> " At the last visit, " + each.function() + " waited for workers " + each.awaited()
                        + ", for " + Units.nanos(each.nanos()) + ".")
                .orElse("");
    }
}
