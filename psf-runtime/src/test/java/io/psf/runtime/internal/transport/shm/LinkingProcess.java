package io.psf.runtime.internal.transport.shm;

/** A process that creates a segment, prints its name and links with no other process. */
final class LinkingProcess {
    private LinkingProcess() {}

    public static void main(String[] args) throws Exception {
        SharedSegment segment = SharedSegment.create(SharedSegment.DEFAULT_CAPACITY);
        System.out.println(segment.name());
        while (System.in.read() >= 0) {
            Thread.onSpinWait();
        }
        segment.unlink(); // also keeps the segment reachable
    }
}
