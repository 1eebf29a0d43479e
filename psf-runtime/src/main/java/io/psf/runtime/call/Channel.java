package io.psf.runtime.call;

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
     * Sends a frame without ever waiting, and takes it over; dropped if the channel is closed.
     *
     * @param sent run once the frame's memory is done with
     */
    void offer(Frame frame, Runnable sent);

    /** Whether frames are taken from the peer; while they are not, the peer's {@link #send} comes to wait. */
    void setReading(boolean reading);

    /** From now on the peer may send frames of any length; before, of 64 KB at most. */
    void trust();

    /** Whether frames can still be sent. */
    boolean isOpen();

    /** The peer's address, for messages. */
    String peer();

    /** Closes both ways. */
    void close();
}
