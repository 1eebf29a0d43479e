package io.psf.runtime.call;

/** A connection that carries frames both ways, in order. Thread-safe. */
public interface Channel {
    /**
     * Sends a frame and takes it over.
     *
     * <p>A thread that is not the transport's own waits here while the peer does not take frames, which bounds the memory
     * of what is unsent.
     *
     * @throws io.psf.api.PsException with {@code UNAVAILABLE} if the channel is closed
     */
    void send(Frame frame);

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

    /** The peer's address, for messages. */
    String peer();

    /** Closes both ways. */
    void close();
}
