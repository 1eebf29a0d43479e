package io.psf.benchmarks.scale;

import io.psf.api.PsException;
import io.psf.api.Role;
import io.psf.api.spi.Function;
import io.psf.api.spi.Merge;
import io.psf.api.spi.Routing;
import io.psf.runtime.internal.cluster.Beat;
import io.psf.runtime.internal.cluster.BeatPsf;
import io.psf.runtime.internal.cluster.ClusterChange;
import io.psf.runtime.internal.cluster.Join;
import io.psf.runtime.internal.cluster.JoinPsf;
import io.psf.runtime.spi.transport.Channel;
import io.psf.runtime.spi.transport.Frame;
import io.psf.runtime.spi.transport.Receiver;
import java.util.List;

/**
 * A node as a scheduler sees it: a channel over which it joins and sends heartbeats. Long answers are decoded by the
 * first node of a cluster alone; the others take its epoch, since all of them have been sent the same. Used by one
 * thread.
 */
final class SimulatedNode implements Channel {
    /** The length of an answer from which on the first node alone decodes it. */
    private static final int LONG = 4 << 10;

    private final ControlPlane plane;
    private final Role role;
    private final int number;
    private Receiver receiver = new Receiver() {
        @Override
        public void received(Channel channel, Frame frame) {
            throw new AssertionError("a frame before the connection");
        }

        @Override
        public void closed(Channel channel, PsException cause) {}
    };
    private long call;
    private long epoch;
    private boolean isBeatDue;
    private boolean isOpen = true;

    SimulatedNode(ControlPlane plane, Role role, int number) {
        this.plane = plane;
        this.role = role;
        this.number = number;
    }

    void begin(Receiver scheduler) {
        receiver = scheduler;
    }

    Receiver receiver() {
        return receiver;
    }

    Role role() {
        return role;
    }

    /** Returns the epoch of the state that the node knows; 0 before it has joined. */
    long epoch() {
        return epoch;
    }

    long nextCall() {
        return call++;
    }

    /** True if the node has joined, and its last heartbeat is answered. */
    boolean isBeatDue() {
        return isBeatDue && isOpen;
    }

    /** Joins with a rank, or -1 for any. Answered when the cluster is complete. */
    void join(int requested) {
        String host = role == Role.SERVER ? "server-" + number + ".servers.training.svc.cluster.local" : "";
        plane.call(this, JoinPsf.FUNCTION, Join.Request.of(role, requested, host, role == Role.SERVER ? 4080 : 0));
    }

    /** Sends the heartbeat that says which state the node knows. */
    void beat() {
        isBeatDue = false;
        plane.done(this);
        plane.call(this, BeatPsf.FUNCTION, new Beat.Request(epoch, 0));
    }

    /** Takes an epoch whose state the node is taken to have received. */
    void follow(long known) {
        epoch = known;
    }

    /** Forgets the state, so that the next heartbeat is answered with the whole one. */
    void forget() {
        epoch = 0;
    }

    @Override
    public void offer(Frame frame) {
        if (!isOpen) {
            frame.release();
            return;
        }
        int length = frame.length();
        long begin = ControlPlane.cpuNanos();
        if (frame.status() != PsException.Code.OK) {
            throw new AssertionError(frame.reader(null).string());
        }
        boolean isOfState = frame.function() == JoinPsf.ID || frame.function() == BeatPsf.ID;
        if (isOfState) {
            isBeatDue = true;
            if (length < LONG && frame.function() == BeatPsf.ID || plane.isFirst(this)) {
                List<ClusterChange> changes = changes(frame);
                epoch = changes.isEmpty()
                        ? epoch
                        : changes.get(changes.size() - 1).epoch();
            } else {
                epoch = plane.nodes().get(0).epoch();
            }
        }
        frame.release();
        plane.sent(length, ControlPlane.cpuNanos() - begin);
        receiver.sent(this, length);
    }

    private List<ClusterChange> changes(Frame frame) {
        if (frame.function() == BeatPsf.ID) {
            return read(BeatPsf.FUNCTION, new Beat.Request(epoch, 0), frame).changes();
        }
        return List.of(
                read(JoinPsf.FUNCTION, Join.Request.of(role, -1, "", 0), frame).state());
    }

    private static <Q, R> R read(Function<Q, R> function, Q request, Frame frame) {
        Merge<R> merge = function.merge(request, Routing.overNodes(1), null);
        merge.add(0, frame.reader(null));
        merge.decode(0);
        return merge.result();
    }

    @Override
    public void send(Frame frame, long deadline) {
        offer(frame);
    }

    @Override
    public void setReading(boolean reading) {}

    @Override
    public void trust() {}

    @Override
    public boolean isOpen() {
        return isOpen;
    }

    @Override
    public String peer() {
        return "10.0." + (number >> 8) + "." + (number & 255) + ":50000";
    }

    @Override
    public void close() {
        if (isOpen) {
            isOpen = false;
            receiver.closed(this, new PsException(PsException.Code.UNAVAILABLE, "the simulated connection ended"));
        }
    }
}
