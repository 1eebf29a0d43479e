package io.psf.runtime.spi.transport;

/** Gives each new channel its receiver. Thread-safe. */
@FunctionalInterface
public interface Acceptor {
    /**
     * Returns the receiver of a channel's frames, before the first of them arrives. Must not block, and must not send.
     *
     * @param channel may not be complete yet; to be stored, not used
     */
    Receiver accept(Channel channel);

    /**
     * True if other threads work on what the channels of this acceptor have received. A racy estimate. A transport that
     * listens asks before it spins, since a spinning thread takes the processor from those threads. An acceptor that
     * wraps another one delegates this method.
     */
    default boolean isBusy() {
        return false;
    }
}
