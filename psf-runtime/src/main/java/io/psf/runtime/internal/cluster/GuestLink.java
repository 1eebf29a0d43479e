package io.psf.runtime.internal.cluster;

import io.psf.api.Member;
import io.psf.api.PsException;
import io.psf.api.Role;
import io.psf.runtime.internal.call.CallClient;
import io.psf.runtime.internal.call.Peer;
import io.psf.runtime.spi.transport.Transport;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The admission of a guest, on the guest's side.
 *
 * @param cluster the nodes of the cluster at the time of the visit
 * @param events what had happened to them lately, the latest last
 * @param ticket the ticket with which the guest connects to servers
 * @param heartbeatLimit how long a node may stay silent
 * @param reports what the calls of the nodes take; empty if the guest does not ask
 */
public record GuestLink(
        Visit.Cluster cluster,
        List<Visit.Event> events,
        Ticket ticket,
        Duration heartbeatLimit,
        List<Visit.Reported> reports) {
    /**
     * Asks the scheduler for admission, over a connection that is closed afterwards. Blocks.
     *
     * @param host the scheduler
     * @param names what the guest calls the cluster
     * @param secret the secret of the cluster; null for none
     * @param asks true to ask the nodes for reports
     * @throws PsException with {@code UNAVAILABLE} if the scheduler is not reached or its cluster is not
     *     complete; with {@code BAD_REQUEST} if the secret is wrong; with {@code PROTOCOL} if another program answers;
     *     with {@code TIMED_OUT} if the peer answers nothing
     */
    public static GuestLink visit(
            CallClient client,
            Transport transport,
            Member host,
            Join.Names names,
            @Nullable String secret,
            boolean asks,
            Duration limit) {
        Peer scheduler = client.connect(transport, host.host(), host.port(), Session.name(host));
        try {
            Join.Request guest =
                    Join.Request.of(Role.WORKER, Ticket.GUEST, "", 0).with(names);
            byte[] nonce = FirstCall.challenge(client, scheduler, Role.SCHEDULER, limit.toNanos())
                    .nonce();
            Visit.Request request = new Visit.Request(ClusterLink.proven(guest, secret, nonce), asks);
            Visit.Response admitted = client.callInBackground(VisitPsf.FUNCTION, request, scheduler, limit.toNanos())
                    .await();
            Protocol.OWN.agree(admitted.protocol());
            Ticket ticket = new Ticket(
                    Role.WORKER,
                    Ticket.GUEST,
                    0,
                    admitted.keys().cluster(),
                    admitted.keys().ticket(),
                    admitted.keys().grant());
            return new GuestLink(
                    admitted.cluster(),
                    admitted.events(),
                    ticket,
                    Duration.ofMillis(admitted.heartbeatMillis()),
                    admitted.reports());
        } catch (PsException e) {
            throw FirstCall.ofScheduler(scheduler, e);
        } finally {
            client.disconnect(scheduler);
        }
    }
}
