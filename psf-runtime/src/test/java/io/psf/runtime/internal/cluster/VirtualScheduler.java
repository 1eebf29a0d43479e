package io.psf.runtime.internal.cluster;

import io.psf.api.Member;
import io.psf.api.PsException;
import io.psf.api.Role;
import io.psf.runtime.internal.server.Connections;
import io.psf.runtime.internal.server.lane.Lane;
import io.psf.runtime.internal.server.lane.LaneRunner;
import io.psf.runtime.internal.server.node.HostNode;
import io.psf.runtime.internal.server.session.Admission;
import io.psf.runtime.internal.server.session.Connection;
import io.psf.runtime.internal.server.shard.Placements;
import io.psf.runtime.internal.store.Stores;
import io.psf.runtime.spi.store.MemoryLimit;
import io.psf.runtime.spi.transport.FramePool;
import io.psf.runtime.spi.transport.RecordedChannel;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** The membership of a scheduler by a virtual clock, without a network. */
final class VirtualScheduler {
    /** The limit of the heartbeat. */
    static final Duration LIMIT = Duration.ofSeconds(10);

    private static final Duration JOIN = Duration.ofSeconds(60);
    private static final FramePool POOL = new FramePool(1 << 20);

    /** A node: its request, its connection, and the answer. */
    record Joined(Join.Request request, Connection connection, CompletableFuture<Join.Response> answer) {
        Join.Admission admission() {
            return answer.join().admission();
        }
    }

    private final Tickets tickets = Tickets.fresh();
    private final ArrayDeque<Runnable> work = new ArrayDeque<>();
    private final Admission admission = new Admission("virtual", POOL, () -> true, () -> false, () -> {});
    private final List<Joined> nodes = new ArrayList<>();
    /** The numbers of members that were told. */
    private final List<Integer> told = new ArrayList<>();

    private final HostNode host;
    private final ClusterPlan plan;
    private Journal journal;
    private Connections connections;
    private Membership membership;
    private long now;
    private long reading;
    private long rolledBack;
    private int ends;
    private @Nullable PsException failure;

    /**
     * Starts a scheduler.
     *
     * @param more true if more workers may join
     * @param schedulerReturn how long the nodes look for another scheduler; zero for the heartbeat's limit
     */
    VirtualScheduler(int servers, int workers, boolean more, Duration schedulerReturn) {
        this(servers, workers, more, false, Duration.ZERO, schedulerReturn);
    }

    /**
     * Starts a scheduler.
     *
     * @param service true if the cluster outlives its jobs
     * @param serverReturn how long a lost server is awaited; zero if it is not
     */
    VirtualScheduler(
            int servers, int workers, boolean more, boolean service, Duration serverReturn, Duration schedulerReturn) {
        this.plan = new ClusterPlan(
                servers,
                workers,
                more,
                service,
                new ClusterPlan.Limits(JOIN, LIMIT, serverReturn, Duration.ZERO, schedulerReturn, this::read),
                Trust.of("clicks", null, null));
        this.host = new HostNode(
                "virtual",
                Role.SCHEDULER,
                Placements.host(Stores.inMemory(MemoryLimit.NONE)),
                new Lane("virtual", POOL, new LaneRunner() {
                    @Override
                    public void execute(Runnable command) {
                        work.add(command);
                    }

                    @Override
                    public void completeAfter(CompletableFuture<Void> due, Duration delay) {
                        throw new AssertionError("an alarm");
                    }
                }),
                List.of(),
                null);
        JournalState first = new JournalState();
        first.add(
                JournalEntry.Request.NOTHING.with(new JournalEntry.Cluster(tickets.cluster(), tickets.key(), servers)));
        this.journal = Journal.after(first, tickets);
        this.connections = newConnections();
        this.membership = newMembership();
    }

    private long read() {
        now += reading;
        return now;
    }

    private Connections newConnections() {
        Connections made = new Connections(host, POOL, 1 << 20);
        made.whenClosed(gone -> work.add(() -> membership.closed(gone)));
        return made;
    }

    private Membership newMembership() {
        return new Membership(plan, connections, journal, new ClusterEvents() {
            @Override
            public void changed(List<Member> members) {
                told.add(members.size());
            }

            @Override
            public void rolledBack(long epoch) {
                rolledBack = epoch;
            }

            @Override
            public void ended(@Nullable PsException why) {
                ends++;
                failure = why;
            }
        });
    }

    /** Sets how much time passes with each reading of the clock. */
    void slow(Duration reading) {
        this.reading = reading.toNanos();
    }

    /** Returns a new connection to the scheduler. */
    Connection connect() {
        return new Connection(new RecordedChannel(), POOL, 1 << 20, admission);
    }

    Joined join(Role role) {
        return join(Join.Request.of(role, -1, role == Role.SERVER ? "host" : "", role == Role.SERVER ? 4081 : 0));
    }

    Joined join(Join.Request request) {
        Connection connection = connect();
        Joined joined = new Joined(request, connection, membership.join(request, connection));
        drain();
        nodes.add(joined);
        return joined;
    }

    /** Lets a node join again, as after a connection that broke before it had its answer. */
    Joined again(int node) {
        return join(nodes.get(node).request());
    }

    void visit(Join.Request guest) {
        var unused = membership.visit(new Visit.Request(guest, false), connect());
    }

    void beat(Joined node) {
        var unused = membership.beat(membership.states().now().epoch(), node.connection());
    }

    void leave(Joined node) {
        membership.leave(node.connection());
        drain();
    }

    /** Lets time pass. */
    void pass(Duration time) {
        long until = now + time.toNanos();
        while (now < until) {
            tick(LIMIT.toNanos() / 200);
        }
    }

    /** Lets time pass, and then the scheduler look at its nodes, once. */
    void tick(long nanos) {
        now += nanos;
        membership.tick();
        drain();
    }

    /** Starts another scheduler with the journal of this one. */
    void restart() {
        journal = Journal.after(journal.state(), tickets);
        connections = newConnections();
        membership = newMembership();
        membership.restore();
        drain();
    }

    /** Runs what waits on the scheduler's lane. */
    void drain() {
        for (Runnable next = work.poll(); next != null; next = work.poll()) {
            next.run();
        }
    }

    Membership membership() {
        return membership;
    }

    /** Ends a connection together with its session. */
    void drop(Connection connection) {
        connections.drop(connection);
        drain();
    }

    ClusterPlan plan() {
        return plan;
    }

    /** Returns the number by which nodes know the cluster. */
    long cluster() {
        return tickets.cluster();
    }

    /** Returns the time by the virtual clock, in nanoseconds. */
    long now() {
        return now;
    }

    List<Integer> told() {
        return told;
    }

    ClusterState state() {
        return membership.states().now();
    }

    /** Returns the epoch of the last rollback that was told; 0 for none. */
    long rolledBack() {
        return rolledBack;
    }

    boolean hasEnded() {
        return ends > 0;
    }

    /** Returns how often the cluster has ended: at most once. */
    int ends() {
        return ends;
    }

    @Nullable
    PsException failure() {
        return failure;
    }
}
