package io.psf.runtime.spi.transport;

import org.jspecify.annotations.Nullable;

/**
 * A connection that carries frames in both directions, in order. No frame is lost while the connection is open: its
 * users send nothing again over the same channel. Thread-safe.
 *
 * <p>A channel that wraps another one delegates every method, also the default ones.
 */
public interface Channel {
    /**
     * Sends a frame and takes ownership of it, even if an exception is thrown.
     *
     * <p>Backpressure: the calling thread blocks while the peer takes no frames, which bounds the memory of unsent
     * frames. The transport's own threads do not block.
     *
     * @param deadline the time, as {@link System#nanoTime} counts, at which the thread stops waiting
     * @throws io.psf.api.PsException with {@code UNAVAILABLE} if the channel is closed, with {@code TIMED_OUT} if the
     *     peer takes no frames until the deadline, with {@code CANCELLED} if the thread is interrupted while it blocks
     */
    void send(Frame frame, long deadline);

    /**
     * Sends a frame and takes ownership of it. Never blocks. The frame is dropped if the channel is closed. While the
     * channel is open, each offered byte is reported to {@link Receiver#sent} once, also the bytes of a draft that is
     * dropped. After the end, bytes may go unreported.
     */
    void offer(Frame frame);

    /**
     * Offers a frame that need not be sent before the next one, which the caller sends at once: both may then be written
     * together.
     */
    default void offerWithNext(Frame frame) {
        offer(frame);
    }

    /**
     * Sends a draft as {@link #send(Frame, long)} sends a frame. The draft is used on the calling thread alone, and not
     * after the return. An exception of the draft is passed on, and leaves the channel usable.
     *
     * @return true if the draft was sent, or dropped because {@link Draft#writeTo} returned false; false if this
     *     channel cannot send drafts: nothing was done, and the caller sends a frame
     */
    default boolean send(Draft draft, long deadline) {
        return false;
    }

    /**
     * Sends a draft as {@link #offer(Frame)} sends a frame, and uses it as {@link #send(Draft, long)} does.
     *
     * @return as {@link #send(Draft, long)} returns
     */
    default boolean offer(Draft draft) {
        return false;
    }

    /**
     * True if the thread that delivers the received frames may be blocked for as long as a quick handler takes. If
     * false, each request runs on the thread of its lane.
     */
    default boolean mayRunHandlers() {
        return false;
    }

    /**
     * Called by a receiver within {@link Receiver#received}. The receiver has fixed the order of the frame and may
     * block for longer now, in a handler or a callback. From now on another thread may deliver the frames behind it.
     * Without this call they wait until {@code received} returns.
     */
    default void mayTakeLong() {}

    /**
     * Starts or stops reading frames from the peer. While reading is stopped, the peer's {@link #send} blocks in the
     * end (backpressure).
     */
    void setReading(boolean reading);

    /**
     * Allows the peer frames of any length from now on. Before this call the limit of a channel over sockets is 16 KB,
     * and the peer of an accepted one is a stranger, to which all of the {@link ConnectionLimits} applies.
     */
    void trust();

    /**
     * Starts keep-alive: from now on this end sends several pings within the limit, and closes the channel if nothing
     * arrives from the peer for that long. Both ends have to call this. Does nothing on a channel for which the system
     * reports the end of the peer in any case. A channel over a network must override this method.
     *
     * @param limitNanos more than the longest time for which a healthy peer is paused
     */
    default void keepAlive(long limitNanos) {}

    /**
     * Adds a checksum to each frame that is sent from now on, and asks the peer for the same. A damaged frame then ends
     * the connection, with {@code UNAVAILABLE}. Does nothing on a channel whose bytes travel over no network, and if
     * that was done before. A channel over a network must override this method.
     */
    default void useChecksums() {}

    /** True if frames can still be sent. May be stale. */
    boolean isOpen();

    /** Returns the peer's address, for messages. */
    String peer();

    /**
     * Returns the name in the certificate that the peer has proved to have; null if the connection has no certificates.
     */
    default @Nullable String certificate() {
        return null;
    }

    /** Returns the medium of the bytes, for messages. A channel over something else than TCP overrides this method. */
    default String medium() {
        return certificate() == null ? "TCP" : "TCP with TLS";
    }

    /**
     * Closes both directions, and drops unsent frames. Does not wait; further calls do nothing. Any thread may call it.
     * {@link Receiver#closed} follows, in some transports on the calling thread before the return: the caller must hold
     * no lock that {@code closed} takes.
     */
    void close();
}
