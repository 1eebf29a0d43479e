package io.psf.runtime;

import io.psf.api.Member;
import io.psf.api.PsException;
import io.psf.api.Restore;
import io.psf.api.Role;
import io.psf.runtime.internal.cluster.GuestLink;
import io.psf.runtime.internal.cluster.Join;
import java.time.Duration;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Calls PS functions on a running cluster without being one of its workers, such as a notebook, or a process that
 * serves a model while it is trained. A client makes the calls of a worker, and each runs exactly once, through
 * reconnections as well. No round, barrier or group waits for it, and the end of a job does not depend on it. It has no
 * rank: what needs one, such as a push to a synchronous tensor or a barrier, fails with {@code BAD_REQUEST}. Calls on
 * one shard run in the order in which one thread sent them. Thread-safe.
 *
 * <pre>{@code
 * try (Client client = Client.connect(WorkerConfig.of("scheduler.example", 7000))) {
 *     float[] weights = Tensors.pull(client, TensorId.of("weights"));
 * }
 * }</pre>
 */
public final class Client extends ConnectedCaller {
    private static final Logger LOG = LoggerFactory.getLogger(Client.class);

    private Client(WorkerConfig config, NodeResources node) {
        super(config, node, Role.CLIENT);
        LOG.info("client {} is connected, with {} servers over {}", link().rank(), servers(), media());
    }

    /**
     * Connects to a cluster. Blocks until the cluster is complete and all servers are connected.
     *
     * @param config the configuration of a worker, whose rank is ignored
     * @throws PsException with {@code TIMED_OUT} or {@code UNAVAILABLE} if the cluster is not reached, or does not
     *     form, in time; with {@code BAD_REQUEST} if the secret is wrong or the cluster has ended; with {@code
     *     RESOURCE_EXHAUSTED} if it has too many clients
     */
    public static Client connect(WorkerConfig config) {
        return connect(
                config,
                Network.open(config.transport(), Defaults.pool(), config.join().security()));
    }

    static Client connect(WorkerConfig config, Network network) {
        NodeResources node = new NodeResources("psf-client", network);
        return node.start(() -> leavingAtExit(new Client(config, node)));
    }

    /**
     * Ends a cluster, a service as well as a job, as {@link #end()} does. Connects to its scheduler alone, so that a
     * cluster that has lost a server can be ended, too.
     *
     * @param config the configuration of a worker, whose rank is ignored
     * @return the members of the cluster that was told to end
     * @throws PsException with {@code UNAVAILABLE} if the scheduler is not reached, or the cluster is not complete or
     *     has ended; with {@code BAD_REQUEST} if the secret is wrong; with {@code TIMED_OUT} if the scheduler does not
     *     answer
     */
    public static List<Member> end(WorkerConfig config) {
        try (NodeResources node = new NodeResources(
                "psf-client",
                Network.open(config.transport(), Defaults.pool(), config.join().security()))) {
            JoinConfig join = config.join();
            List<Member> members = GuestLink.visit( // else a join would wait for a scheduler that is not there
                            node.client(),
                            node.transport(),
                            join.scheduler(),
                            join.said(),
                            join.security().secret(),
                            false,
                            join.timeout())
                    .cluster()
                    .members();
            node.join(join, Join.Request.of(Role.CLIENT, -1, "", 0)).end(config.deadline());
            return members;
        }
    }

    @Override
    public Role role() {
        return Role.CLIENT;
    }

    /**
     * Returns the epoch of the last rollback that the cluster has made; 0 for none. The cluster makes one when a server
     * takes the place of a lost one and a model has to be exact ({@link Restore#ALL}): the slices of that server have
     * the state of the newest checkpoint then, among later ones. Where there are workers, they load the checkpoint on
     * all servers. Without workers a client does: {@code ModelCheckpoints.loadLatest}.
     *
     * <p>Blocks until each server has answered, also a server that takes the place of a lost one meanwhile, and then
     * the scheduler. So the result is exact: while it stays the same, the servers have every push, of all clients, that
     * was answered since the first of the calls with this result, and before the last. Once it differs, some of these
     * pushes may be undone. The work since the checkpoint is repeated then:
     *
     * <pre>{@code
     * long known = client.rollback();
     * long step = checkpoints.loadLatest().map(ModelCheckpoint::step).orElse(0L);
     * while (step < steps) {
     *     work(++step); // returns once all calls of all clients have been answered
     *     long now = client.rollback();
     *     if (now != known) {
     *         known = now;
     *         step = checkpoints.loadLatest().map(ModelCheckpoint::step).orElse(0L);
     *     }
     * }
     * }</pre>
     *
     * @throws PsException with {@code UNAVAILABLE} if a server is lost and does not come back; with {@code TIMED_OUT}
     *     if it does not within this client's deadline
     */
    public long rollback() {
        return confirmed().recovery().rollback();
    }

    /**
     * True once the calls of this client fail since the cluster has lost it, or it has lost the scheduler: its process
     * was stopped for longer than the heartbeat's limit, for example. Another client may be connected in its place.
     * False after {@link #close}, and after the end of the cluster.
     */
    public boolean isLost() {
        PsException ended = gate().ended();
        return ended != null && ended.code() != PsException.Code.CLOSED;
    }

    /** A client's calls go on. It takes note of a rollback when it loads a checkpoint. */
    @Override
    void rollBack(long epoch) {}

    @Override
    public void takeRollback() {
        super.rollBack(confirmed().recovery().rollback());
    }

    /**
     * A client has no rank.
     *
     * @throws PsException with {@code BAD_REQUEST}, always
     */
    @Override
    public int rank() {
        throw none("rank");
    }

    @Override
    public boolean isLate() {
        return false;
    }

    /** Returns the number of workers that are in the cluster now. */
    @Override
    public int workers() {
        return state().count(Role.WORKER);
    }

    /**
     * A client takes part in no barrier.
     *
     * @throws PsException with {@code BAD_REQUEST}, always
     */
    @Override
    public void barrier() {
        throw none("barrier");
    }

    /** As {@link #barrier()}. */
    @Override
    public void barrier(Duration limit) {
        throw none("barrier");
    }

    private static PsException none(String what) {
        return new PsException(
                PsException.Code.BAD_REQUEST, what + ": of a client (expected: a worker, since a client has no rank)");
    }

    /**
     * Leaves the cluster. This method waits for outstanding calls as long as one of them ends within each second. Then
     * the remaining calls fail with {@code CLOSED}. The servers forget the client.
     *
     * @throws PsException with {@code UNAVAILABLE} if a server is lost on which this client has changed something; the
     *     client is closed all the same
     */
    @Override
    public void close() {
        super.close();
    }
}
