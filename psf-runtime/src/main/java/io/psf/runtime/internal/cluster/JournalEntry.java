package io.psf.runtime.internal.cluster;

import io.psf.api.Node;
import io.psf.api.Place;
import io.psf.api.PsFunction;
import io.psf.api.Role;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An entry of the scheduler's {@link Journal}, which its generated codec writes and reads. It is declared as a function
 * for the sake of that codec; no node runs it.
 */
@PsFunction(value = "psf.scheduler.journal", at = Place.SCHEDULER)
public interface JournalEntry {
    /**
     * What has happened at once. The first entry of a file has all that happened before.
     *
     * @param cluster the identity of the cluster; null if an earlier entry has it
     * @param step the step to the next state; null for none
     * @param barrier what has happened at the barrier
     * @param clients a number above the number of every client; 0 if an earlier entry has it
     * @param mark what else has happened
     */
    record Request(@Nullable Cluster cluster, @Nullable Step step, BarrierStep barrier, int clients, Mark mark) {
        static final Request NOTHING = new Request(null, null, BarrierStep.NONE, 0, Mark.NONE);

        Request with(Cluster cluster) {
            return new Request(cluster, step, barrier, clients, mark);
        }

        Request with(Step step) {
            return new Request(cluster, step, barrier, clients, mark);
        }

        Request with(BarrierStep barrier) {
            return new Request(cluster, step, barrier, clients, mark);
        }

        Request with(int clients) {
            return new Request(cluster, step, barrier, clients, mark);
        }

        Request with(Mark mark) {
            return new Request(cluster, step, barrier, clients, mark);
        }

        /**
         * True if the entry has to be on the disk before anybody is told of it: a machine that fails must not lose it.
         */
        boolean isForced() {
            return cluster != null || step != null || clients > 0 || mark == Mark.ENDED;
        }
    }

    /**
     * A step to the next state.
     *
     * @param seats the nodes that it admits
     * @param ran the call whose effect it is; empty if no call causes it
     */
    record Step(ClusterChange change, List<Seat> seats, List<Call> ran) {}

    /** What can happen once. */
    enum Mark {
        NONE,
        /** All workers have loaded the checkpoint that the last rollback requires. */
        LOADED,
        /** The cluster has ended. */
        ENDED
    }

    /**
     * The identity of a cluster.
     *
     * @param number the number that identifies it
     * @param key [32] int8, the key of its {@link Tickets}
     * @param servers the number of its servers
     */
    record Cluster(long number, byte[] key, int servers) {}

    /**
     * A node of the cluster, beyond what the state says of it.
     *
     * @param requested the rank that it has requested; -1 for any
     * @param session the number of its session with the scheduler
     * @param late true for a worker that joined a running job, and for a server in the place of a lost one
     * @param name the name of a worker; empty for none
     */
    record Seat(Role role, int rank, int requested, long session, boolean late, String name) {}

    /**
     * A call.
     *
     * @param worker the caller as {@link io.psf.api.CallInfo#worker} names it
     */
    record Call(int worker, long call) {}

    /**
     * What has happened at the barrier.
     *
     * @param called the calls of workers that wait from now on
     * @param counted the workers that the open barrier waits for; empty if that is not new
     * @param opened the calls that wait no longer, since the barrier has opened
     * @param dropped the calls that wait no longer, since their callers have given them up
     */
    record BarrierStep(List<Call> called, List<Integer> counted, List<Call> opened, List<Call> dropped) {
        static final BarrierStep NONE = new BarrierStep(List.of(), List.of(), List.of(), List.of());

        static BarrierStep called(Call call) {
            return new BarrierStep(List.of(call), List.of(), List.of(), List.of());
        }

        static BarrierStep counted(Collection<Integer> workers) {
            return new BarrierStep(List.of(), List.copyOf(workers), List.of(), List.of());
        }

        static BarrierStep opened(List<Call> calls) {
            return new BarrierStep(List.of(), List.of(), calls, List.of());
        }

        static BarrierStep dropped(List<Call> calls) {
            return new BarrierStep(List.of(), List.of(), List.of(), calls);
        }
    }

    record Response() {}

    Response handle(Request entry, Node scheduler);
}
