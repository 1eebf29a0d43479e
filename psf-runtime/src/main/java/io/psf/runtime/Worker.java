package io.psf.runtime;

import io.psf.api.PsException;
import io.psf.api.Role;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Computes, and calls PS functions: every stub is made of a worker. Calls on one shard run in the order in which one
 * thread sent them. Thread-safe.
 */
public final class Worker extends ConnectedCaller {
    private static final Logger LOG = LoggerFactory.getLogger(Worker.class);

    private final Duration deadline;
    private volatile boolean isLate;
    /**
     * True once this worker has begun to work with the others; without an initial value, since a rollback may come
     * before.
     */
    private volatile boolean hasBegun;

    private Worker(WorkerConfig config, NodeResources node) {
        super(config, node, Role.WORKER);
        this.deadline = config.deadline();
        this.isLate = link().isLate()
                && gate().rollback() == link().first().recovery().rollback();
        LOG.info("worker has rank {} of {}, with {} servers over {}", rank(), workers(), servers(), media());
    }

    /**
     * Joins a cluster. Blocks until the cluster is complete and all servers are connected. A cluster that runs already
     * admits a worker in the place of a worker that has left or is lost, and further workers if {@code PSF_WORKERS}
     * ends in a plus.
     *
     * @throws PsException with {@code TIMED_OUT} or {@code UNAVAILABLE} if the cluster does not form in time; with
     *     {@code BAD_REQUEST} if the cluster has all of its workers, or the rank is taken
     */
    public static Worker connect(WorkerConfig config) {
        return connect(
                config,
                Network.open(config.transport(), Defaults.pool(), config.join().security()));
    }

    static Worker connect(WorkerConfig config, Network network) {
        NodeResources node = new NodeResources("psf-worker", network);
        return node.start(() -> leavingAtExit(new Worker(config, node)));
    }

    @Override
    public int rank() {
        return link().rank();
    }

    @Override
    public int workers() {
        return link().workers();
    }

    @Override
    public void barrier() {
        barrier(deadline);
    }

    @Override
    public void barrier(Duration limit) {
        long known = meet(limit);
        isLate = false;
        boolean isMissed;
        synchronized (this) {
            isMissed = isAboutToLoad() && gate().rollback() != known; // by a node that came back after the barrier
            hasBegun = true;
        }
        if (isMissed) {
            throw Written.lostNodeIsBack();
        }
    }

    @Override
    void rollBack(long epoch) {
        isLate = false; // it loads together with the others
        synchronized (this) {
            if (isAboutToLoad()) {
                super.rollBack(epoch);
                return;
            }
        }
        gate().failCalls(epoch);
    }

    private boolean isAboutToLoad() {
        return !hasBegun && isBack();
    }

    /** True if all workers had to load a checkpoint with this one when it joined. */
    private boolean isBack() {
        return link().first().recovery().rollback() == link().since();
    }

    @Override
    public boolean takeReturn() {
        boolean isFirst = !hasBegun;
        hasBegun = true;
        return isFirst && isBack();
    }

    @Override
    public boolean isLate() {
        return isLate;
    }

    /**
     * Leaves the cluster. The job ends when the last worker has left. This method waits for outstanding calls as long
     * as one of them ends within each second. Then the remaining calls fail with {@code CLOSED}, and the servers are
     * notified that they are cancelled. Before closing, await a push that must be applied, such as a synchronous push
     * that waits for slower workers. A server that does not answer delays the end by at most the worker's deadline, and
     * a scheduler that does not answer by 5 seconds.
     *
     * @throws PsException with {@code UNAVAILABLE} if a server is lost on which this worker has changed something; the
     *     worker is closed all the same
     */
    @Override
    public void close() {
        super.close();
    }
}
