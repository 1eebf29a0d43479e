package io.psf.cli;

import io.psf.api.Role;
import io.psf.cli.Finding.Cause;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.SortedMap;
import java.util.stream.Collectors;

/**
 * What a job waits for, as sentences: from the time that the workers wait for each function, and from what the servers
 * do in that time. Makes no calls.
 */
final class Explanation {
    /** The most causes that are named. */
    private static final int MOST = 3;

    private final JobSample sample;
    private final WorkerTimes workers;
    private final ServerTimes servers;
    private final MeetingFindings meetings;
    private final List<Finding> findings = new ArrayList<>();

    private Explanation(JobSample sample) {
        this.sample = sample;
        this.workers = new WorkerTimes(sample.workers());
        this.servers = new ServerTimes(sample);
        this.meetings = new MeetingFindings(sample, workers, servers);
    }

    /** Returns the causes, those of the largest shares first; never empty. */
    static List<Finding> of(JobSample sample) {
        Explanation explanation = new Explanation(sample);
        explanation.find();
        return explanation.findings.stream()
                .filter(each -> each.share() >= Finding.LEAST)
                .sorted(Comparator.comparingDouble(each -> -each.share()))
                .limit(MOST)
                .toList();
    }

    private void find() {
        sample.cluster().lost().forEach(each -> findings.add(NodeFindings.lost(each)));
        if (sample.workers().isEmpty()) {
            findings.add(withoutReports());
            return;
        }
        NodeFindings.heap(Role.WORKER, sample.workers()).ifPresent(findings::add);
        NodeFindings.heap(Role.SERVER, sample.servers()).ifPresent(findings::add);
        boolean meetToSave = disk();
        List<String> functions = workers.functions();
        List<String> meet = functions.stream()
                .filter(each -> meetings.isMeeting(each) && !(meetToSave && Meeting.EPOCH.has(each)))
                .toList();
        if (!meet.isEmpty()) {
            findings.add(meetings.of(meet));
        }
        CallFindings calls = new CallFindings(sample, workers, servers);
        functions.stream()
                .filter(each -> !meetings.isMeeting(each) && !ServerTimes.isDisk(each))
                .forEach(each -> findings.add(calls.of(each)));
        if (findings.stream().noneMatch(each -> each.share() >= Finding.LEAST)) {
            findings.add(ownWork());
        }
    }

    /**
     * Adds the wait for checkpoints. Workers that save together wait where they meet, while the servers write. Returns
     * true if the workers do so.
     */
    private boolean disk() {
        JobSample.Load work = servers.checkpoints();
        if (work == null) {
            return false;
        }
        double meets = workers.share(Meeting.EPOCH::has);
        double busy = (double) work.answeredNanos() / Math.max(1, sample.time().toNanos());
        boolean isEven = spread(workers.waits(Meeting.EPOCH::has)) < Finding.LEAST;
        boolean meetsToSave = meets > 0 && busy >= meets / 20 && isEven; // the server that leads also works by itself
        double share = workers.share(ServerTimes::isDisk) + (meetsToSave ? meets : 0);
        findings.add(new Finding(
                Cause.DISK,
                share,
                "The workers wait " + Units.share(share) + " of their time for checkpoints: " + work.function()
                        + " ran " + Units.count(work.requests()) + " times on a server, for "
                        + Units.nanos(work.answeredNanos() / work.requests()) + " each."));
        return meetsToSave;
    }

    private static double spread(SortedMap<Integer, Double> shares) {
        var all = shares.values().stream().mapToDouble(Double::doubleValue).summaryStatistics();
        return all.getMax() - all.getMin();
    }

    private Finding ownWork() {
        double own = workers.own();
        double idle = workers.idle();
        String servers = "The servers run handlers for " + Units.share(this.servers.mean()) + " of the time.";
        return idle >= WorkerTimes.IDLE
                ? new Finding(
                        Cause.OUTSIDE,
                        own,
                        "The workers wait for something outside of psf: they wait for calls for " + Units.share(1 - own)
                                + " of their time, and for " + Units.share(own * idle)
                                + " no thread that makes calls runs. " + servers)
                : new Finding(
                        Cause.NONE,
                        own,
                        "Nothing in psf slows this job down: the workers do their own work for " + Units.share(own)
                                + " of their time. " + servers);
    }

    /** The servers alone have told what they do. */
    private Finding withoutReports() {
        String ranks = sample.cluster().members().stream()
                .filter(each -> each.role() == Role.WORKER)
                .map(each -> String.valueOf(each.rank()))
                .collect(Collectors.joining(", "));
        int busiest = servers.busiest();
        return new Finding(
                servers.busy(busiest) >= 0.5 ? Cause.ALL_SERVERS : Cause.OUTSIDE,
                1,
                (ranks.isEmpty()
                                ? "No worker is here."
                                : "No worker has told what it waits for (workers " + ranks + ").")
                        + " The servers run handlers for " + Units.share(servers.mean()) + " of the time"
                        + (busiest < 0
                                ? "."
                                : ", server " + busiest + " for " + Units.share(servers.busy(busiest)) + ".")
                        + meetings.now(each -> true),
                "");
    }
}
