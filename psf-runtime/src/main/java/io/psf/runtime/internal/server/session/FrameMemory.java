package io.psf.runtime.internal.server.session;

/**
 * The memory that a connection requests for its next long frame. Its methods are called under the lock of the {@link
 * FrameQueue}, except {@link #isWaiting}.
 */
final class FrameMemory {
    private long bytes;
    private volatile boolean isWaiting;
    private boolean isGranted;

    /** Requests memory. Returns false if a request waits already, or is granted. */
    boolean request(long capacity) {
        boolean isNew = !isWaiting && !isGranted;
        if (isNew) {
            bytes = capacity;
            isWaiting = true;
        }
        return isNew;
    }

    /** Returns the number of bytes of the request. */
    long bytes() {
        return bytes;
    }

    /** True if the request waits. */
    boolean isWaiting() {
        return isWaiting;
    }

    void grant() {
        isWaiting = false;
        isGranted = true;
    }

    void stopWaiting() {
        isWaiting = false;
    }

    /** Takes the grant. Returns false if there is none. */
    boolean takeGrant() {
        boolean was = isGranted;
        isGranted = false;
        return was;
    }
}
