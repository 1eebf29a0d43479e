package io.psf.runtime.transport;

import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** A connection that carries frames both ways, in order. Thread-safe. */
public interface Channel {
    /**
     * Sends a frame and takes it over.
     *
     * <p>A thread that is not the transport's own waits here while the peer does not take frames, which bounds the memory
     * of what is unsent.
     *
     * @param deadline when to give up waiting, as {@link System#nanoTime} counts
     * @throws io.psf.api.PsException with {@code UNAVAILABLE} if the channel is closed, with {@code TIMED_OUT} if the
     *     peer takes no frames until the deadline
     */
    void send(Frame frame, long deadline);

    /**
     * Sends a frame without ever waiting, and takes it over; dropped if the channel is closed. The {@link Receiver} is told
     * when it has been {@link Receiver#sent sent}.
     */
    void offer(Frame frame);

    /**
     * Waits until something is over that depends on frames from the peer, and may bring them in on this thread meanwhile.
     * May return early.
     *
     * @param over whoever makes it true unparks this thread
     * @param deadline as {@link System#nanoTime} counts
     */
    default void await(BooleanSupplier over, long deadline) throws InterruptedException {
        while (!over.getAsBoolean()) {
            long left = deadline - System.nanoTime();
            if (Thread.interrupted()) {
                throw new InterruptedException();
            } else if (left <= 0) {
                return;
            }
            LockSupport.parkNanos(this, left);
        }
    }

    /**
     * Sends a draft as {@link #send(Frame, long)} would a frame.
     *
     * @return false if this channel sends frames alone; nothing was done
     */
    default boolean send(Draft draft, long deadline) {
        return false;
    }

    /**
     * Sends a draft as {@link #offer(Frame)} would a frame.
     *
     * @return false if this channel sends frames alone; nothing was done
     */
    default boolean offer(Draft draft) {
        return false;
    }

    /** Whether the thread that brings in its frames may be kept for as long as a quick handler takes. */
    default boolean mayRunHandlers() {
        return false;
    }

    /**
     * Told by a receiver, within {@link Receiver#received}, that it has put the frame in its order and may be kept for
     * longer now, by a handler or by a callback: another thread may bring in the frames behind it meanwhile. Without this
     * call the frames behind it wait until it returns.
     */
    default void mayTakeLong() {}

    /** Whether frames are taken from the peer; while they are not, the peer's {@link #send} comes to wait. */
    void setReading(boolean reading);

    /** From now on the peer may send frames of any length; before, of 64 KB at most. */
    void trust();

    /**
     * From now on this end gives a sign of life several times within a limit, and the channel closes if nothing comes from
     * the peer for so long. Both ends have to be told. A channel whose end the system tells of in any case does nothing.
     *
     * @param limitNanos more than the longest time for which a healthy peer stands still
     */
    default void keepAlive(long limitNanos) {}

    /** Whether frames can still be sent. */
    boolean isOpen();

    /** The peer's address, for messages. */
    String peer();

    /** Closes both ways. */
    void close();
}
