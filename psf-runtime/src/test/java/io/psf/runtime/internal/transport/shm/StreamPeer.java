package io.psf.runtime.internal.transport.shm;

import java.io.IOException;
import java.util.HexFormat;

/** The other process of {@link TwoProcessesTest}: checks what comes, and sends a stream of its own. */
public final class StreamPeer {
    private StreamPeer() {}

    /** Arguments: name, token, seed of the bytes that come, seed of those that go, bytes each way. */
    public static void main(String[] arguments) throws IOException {
        SharedSegment segment = SharedSegment.open(arguments[0], HexFormat.of().parseHex(arguments[1]));
        segment.unlink();
        Stream in = new Stream(Long.parseLong(arguments[2]), 100_000);
        Stream out = new Stream(Long.parseLong(arguments[3]), 100_000);
        Stream.exchange(segment.pipe(), in, out, Long.parseLong(arguments[4]));
    }
}
