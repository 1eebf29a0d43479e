package io.psf.dashboard;

import io.psf.api.Member;
import io.psf.api.PsException;
import io.psf.api.Role;
import io.psf.builtin.ModelCheckpoints;
import io.psf.builtin.Reports;
import io.psf.builtin.SavedStep;
import io.psf.builtin.Statistics;
import io.psf.builtin.TensorSummary;
import io.psf.builtin.Tensors;
import io.psf.runtime.ClusterSummary;
import io.psf.runtime.Guest;
import io.psf.runtime.WorkerConfig;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Asks a cluster, as a guest, for what the page shows, as long as somebody watches: the scheduler twice a second, the
 * servers once. A server that does not answer does not delay what the scheduler says.
 */
final class ClusterWatch implements AutoCloseable {
    private static final Duration OF_SCHEDULER = Duration.ofMillis(500);
    private static final Duration OF_SERVERS = Duration.ofSeconds(1);
    /** The servers look in the place of checkpoints for it, such as a store of objects. */
    private static final Duration OF_CHECKPOINTS = Duration.ofSeconds(5);

    private static final Duration PATIENCE = Duration.ofSeconds(5);

    private final WorkerConfig cluster;
    private final Feed feed;
    private final ScheduledExecutorService timer = Executors.newScheduledThreadPool(2, work -> {
        Thread thread = new Thread(work, "dashboard");
        thread.setDaemon(true);
        return thread;
    });
    /** Visits the servers of now; null if nobody watches, or the cluster could not be visited. */
    private volatile @Nullable Guest guest;

    private volatile @Nullable ClusterSummary seen;

    // Used by count() alone.
    private final HotKeys hotKeys = new HotKeys();
    private List<SavedStep> checkpoints = List.of();
    private List<String> models = List.of();
    private long listedAt = System.nanoTime();
    /** Of the last time; null if that is long ago. */
    private @Nullable Statistics counted;

    ClusterWatch(WorkerConfig cluster, Feed feed) {
        this.cluster = cluster.withRank(-1).withJoinTimeout(PATIENCE).withDeadline(PATIENCE);
        this.feed = feed;
        every(OF_SCHEDULER, this::look);
        every(OF_SERVERS, this::count);
    }

    private void every(Duration time, Runnable work) {
        var unused = timer.scheduleWithFixedDelay(() -> attempt(work), 0, time.toMillis(), TimeUnit.MILLISECONDS);
    }

    /** Says on the page why something cannot be shown. */
    private void attempt(Runnable work) {
        try {
            work.run();
        } catch (PsException e) {
            if (e.code() != PsException.Code.CLOSED) { // the guest has been replaced meanwhile
                feed.publish(Map.of("problem", ClusterStatus.text(e.detail())));
            }
        } catch (RuntimeException e) { // the next turn is tried all the same
            feed.publish(Map.of("problem", ClusterStatus.text(e.toString())));
        }
    }

    private void look() {
        if (!feed.isWatched()) {
            leave();
            feed.clear();
            return;
        }
        Guest now = guest;
        if (now == null) {
            now = Guest.visit(cluster);
            guest = now;
        }
        ClusterSummary summary = now.look();
        Map<String, String> fields = ClusterStatus.nodes(summary);
        fields.put("problem", "\"\"");
        feed.publish(fields);
        seen = summary;
        if (!servers(summary).equals(servers(now.cluster()))) {
            leave();
            guest = Guest.visit(cluster);
        }
    }

    private static List<Member> servers(ClusterSummary summary) {
        return summary.members().stream()
                .filter(each -> each.role() == Role.SERVER)
                .toList();
    }

    private void count() {
        Guest now = guest;
        ClusterSummary summary = seen;
        Statistics before = counted;
        counted = null; // if this fails, or nobody watches
        if (now != null && summary != null) {
            List<TensorSummary> tensors = Tensors.list(now);
            Statistics statistics = Statistics.of(now);
            ClusterStatus status = new ClusterStatus(
                    summary, checkpoints(now, summary), tensors, statistics, Reports.of(now, ClusterStatus.POINTS));
            Map<String, String> fields = status.fields();
            fields.keySet().removeAll(ClusterStatus.nodes(summary).keySet()); // newer ones may be there
            fields.put("recent", before == null ? "[]" : ClusterStatus.functions(statistics.since(before)));
            fields.put("hotKeys", hotKeys.json(now, tensors));
            feed.publish(fields);
            counted = statistics;
        }
    }

    private List<SavedStep> checkpoints(Guest now, ClusterSummary summary) {
        long at = System.nanoTime();
        if (!models.equals(summary.models()) || at - listedAt > OF_CHECKPOINTS.toNanos()) {
            checkpoints = ModelCheckpoints.newest(now, summary.models());
            models = summary.models();
            listedAt = at;
        }
        return checkpoints;
    }

    private void leave() {
        Guest before = guest;
        guest = null;
        if (before != null) {
            before.close();
        }
    }

    @Override
    public void close() {
        timer.shutdownNow();
        leave();
    }
}
