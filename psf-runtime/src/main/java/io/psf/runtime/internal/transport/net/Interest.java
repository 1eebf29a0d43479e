package io.psf.runtime.internal.transport.net;

import java.nio.channels.CancelledKeyException;
import java.nio.channels.SelectionKey;
import org.jspecify.annotations.Nullable;

/** The events that the selector reports about a connection's socket. */
final class Interest {
    private final Reactor reactor;
    private volatile @Nullable SelectionKey key;

    Interest(Reactor reactor) {
        this.reactor = reactor;
    }

    /** Sets the selection key of the socket, once the selector polls it. Nothing is reported before. */
    void register(SelectionKey with) {
        key = with;
    }

    /** Sets whether the selector reports arrived bytes. */
    void inBytes(boolean wanted) {
        set(SelectionKey.OP_READ, wanted);
    }

    /** Sets whether the selector reports free capacity. */
    void inCapacity(boolean wanted) {
        set(SelectionKey.OP_WRITE, wanted);
    }

    private void set(int operation, boolean wanted) {
        SelectionKey with = key;
        if (with != null && select(with, operation, wanted) && wanted) {
            reactor.wakeUp();
        }
    }

    /** Adds or removes an operation of the key. True if that changed what the selector watches for. */
    private static boolean select(SelectionKey key, int operation, boolean wanted) {
        try {
            if ((key.interestOps() & operation) != 0 == wanted) {
                return false;
            }
            int before = wanted ? key.interestOpsOr(operation) : key.interestOpsAnd(~operation);
            return (before & operation) != 0 != wanted;
        } catch (CancelledKeyException e) { // closed meanwhile
            return false;
        }
    }
}
