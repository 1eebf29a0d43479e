package io.psf.runtime.internal.cluster;

import io.psf.api.Member;
import io.psf.api.PsException;
import io.psf.api.PsException.Code;
import io.psf.api.Role;
import io.psf.runtime.internal.server.Connections;
import io.psf.runtime.internal.server.session.Connection;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Lets nodes and guests into the cluster: checks what they say of themselves, opens the sessions of nodes, and gives
 * them the state and their tickets. Used on the scheduler's lane.
 */
final class Admissions {
    private final ClusterPlan plan;
    private final Connections connections;
    private final Journal journal;
    private final Tickets tickets;
    private final MemberTable table;
    private final ClusterStates states;
    /** The number of clients so far; the next client's number. */
    private int clients;

    /** A number above the number of each client that may go on though this scheduler has not admitted it. */
    private int clientsBefore;

    /** Those that have gone on: if one of them is lost, it stays lost. */
    private final Set<Integer> clientsAgain = new HashSet<>();

    Admissions(ClusterPlan plan, Connections connections, Journal journal, MemberTable table, ClusterStates states) {
        this.plan = plan;
        this.connections = connections;
        this.journal = journal;
        this.tickets = journal.tickets();
        this.clients = journal.state().clients();
        this.clientsBefore = journal.state().clientsBefore();
        this.table = table;
        this.states = states;
    }

    /** Checks the protocol, the description and the credential of a node that joins. */
    void requireNode(Join.Request request, Connection connection) {
        Protocol.OWN.agree(request.protocol());
        JoinChecks.requireNode(request);
        requireGrant(request, connection, request.role().label());
        plan.trust().requireCluster(request);
    }

    private void requireGrant(Join.Request request, Connection connection, String role) {
        byte[] nonce = connection.rights().challenge().getAndSet(null);
        String certificate = connection.channel().certificate();
        connection.rights().prove(plan.trust().require(request, nonce, certificate, role));
    }

    /**
     * Checks the protocol, the description and the credential of a guest. Returns the protocol that both sides have.
     */
    Protocol requireGuest(Join.Request guest, Connection connection) {
        Protocol agreed = Protocol.OWN.agree(guest.protocol());
        JoinChecks.requireGuest(guest);
        requireGrant(guest, connection, Rules.GUEST);
        plan.trust().requireCluster(guest);
        return agreed;
    }

    /**
     * Returns what a guest needs to visit the servers.
     *
     * @param formed when the cluster has formed, or this scheduler took its place
     * @param reports of the nodes
     */
    Visit.Response visit(Protocol agreed, Connection connection, long formed, List<Visit.Reported> reports) {
        String grant = connection.rights().grant();
        ClusterState now = states.now();
        return new Visit.Response(
                agreed,
                plan.heartbeatLimit().toMillis(),
                new Visit.Cluster(
                        new Visit.Plan(plan.trust().cluster(), plan.service(), plan.servers(), plan.workers()),
                        Duration.ofNanos(plan.now() - formed).toMillis(),
                        now.members(),
                        now.lost(),
                        now.recovery().models().stream()
                                .map(ClusterChange.Model::name)
                                .toList()),
                new Join.Keys(
                        tickets.cluster(),
                        tickets.of(Role.WORKER, Ticket.GUEST, 0, grant).secret(),
                        new byte[0],
                        grant),
                reports,
                states.events());
    }

    /** Opens the session of a node of a complete cluster, and answers its join. */
    void admit(MemberEntry entry) {
        if (entry.role() == Role.CLIENT && !entry.admitted) {
            journal.reserveClient(clients);
            table.rank(entry, clients++);
        }
        entry.admitted = true;
        entry.lastSeen = plan.now();
        String grant = entry.connection.rights().grant();
        boolean isServer = entry.role() == Role.SERVER;
        connections.open(entry.connection, entry.member(), entry.since, entry.request.session());
        Join.Response answer = new Join.Response(
                Protocol.OWN.agree(entry.request.protocol()),
                new Join.Admission(
                        entry.rank,
                        entry.since,
                        workers(),
                        entry.late,
                        !plan.returnOf(Role.SERVER).isZero()),
                plan.told(),
                states.whole(),
                new Join.Keys(
                        tickets.cluster(),
                        tickets.of(entry.role(), entry.rank, entry.since, grant).secret(),
                        isServer ? tickets.key() : new byte[0],
                        grant),
                isServer ? plan.trust().rules() : null);
        CompletableFuture<Join.Response> joined = entry.joined;
        entry.joined = CompletableFuture.completedFuture(answer);
        joined.complete(answer);
    }

    /**
     * Resumes a node's session over another connection. Returns the node.
     *
     * @param hello already verified
     */
    MemberEntry resume(Hello.Request hello, Connection connection) {
        MemberEntry entry = find(hello);
        if (entry == null || !entry.admitted || entry.since != hello.since()) {
            throw JoinChecks.lost();
        }
        connections.resume(
                connection,
                entry.member(),
                hello.session().session(),
                hello.session().connection());
        entry.heard(plan.now());
        return entry;
    }

    /**
     * Adds the nodes of the journal: their sessions have no connection until they connect again, for which they have
     * time.
     */
    void restore() {
        for (ClusterChange.Node node : states.now().nodes()) {
            JournalEntry.Seat seat = journal.state().seat(node);
            MemberEntry entry = restored(node.member(), seat.requested(), node.since(), seat.session(), seat.name());
            entry.late = seat.late();
            entry.lastSeen +=
                    plan.schedulerReturn().minus(plan.heartbeatLimit()).toNanos();
        }
    }

    /**
     * Lets a worker take the place of the worker that has its name, and is gone: no process has the name of another
     * one. Its join waits for its admission.
     */
    MemberEntry replace(MemberEntry gone, Join.Request request, Connection connection) {
        JoinChecks.requireSame(gone, request, connection.rights().grant());
        MemberEntry entry = new MemberEntry(connection, request, plan.now());
        entry.rank = gone.rank >= 0 ? gone.rank : entry.rank;
        table.remove(gone);
        gone.connection.term().retire();
        table.add(entry);
        if (gone.admitted) {
            gone.connection.channel().close();
        } else {
            gone.joined.completeExceptionally(new PsException(
                    Code.CLOSED,
                    "worker \"" + gone.name()
                            + "\": another one of this name has joined (expected: a name of its own)"));
        }
        return entry;
    }

    /** Forgets the clients of the scheduler before this one. */
    void forgetClients() {
        clientsBefore = 0;
    }

    /**
     * Returns the node that has a rank, or has requested it; null if there is none. The journal does not have the
     * clients of the scheduler before this one: their tickets are enough.
     *
     * @param hello already verified
     */
    private @Nullable MemberEntry find(Hello.Request hello) {
        MemberEntry found = table.of(hello.role(), hello.rank());
        boolean isOfBefore = hello.role() == Role.CLIENT && hello.rank() < clientsBefore;
        if (found != null || !isOfBefore || !clientsAgain.add(hello.rank())) {
            return found;
        }
        Member client = new Member(Role.CLIENT, hello.rank(), "", 0);
        return restored(client, -1, 0, hello.session().session(), "");
    }

    private MemberEntry restored(Member member, int requested, long since, long session, String name) {
        Join.Address address = new Join.Address(member.host(), member.port(), new Join.Names("", name));
        Join.Request request = new Join.Request(Protocol.OWN, member.role(), requested, address, session, new byte[0]);
        MemberEntry entry = new MemberEntry(connections.restore(member, since, session), request, plan.now());
        entry.rank = member.rank();
        entry.since = since;
        entry.admitted = true;
        entry.mostKnown = journal.state().epochBefore();
        table.add(entry);
        return entry;
    }

    /** Returns the number of workers, which is higher than each rank. */
    private int workers() {
        return Math.max(plan.workers(), states.now().highestWorker() + 1);
    }
}
