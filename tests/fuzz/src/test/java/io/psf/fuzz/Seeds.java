package io.psf.fuzz;

import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Scripts to begin with. */
public final class Seeds {
    private Seeds() {}

    /** Of n frames each as it is, and each with an edit of every kind. */
    public static Stream<byte[]> of(int n) {
        return IntStream.range(0, n)
                .boxed()
                .flatMap(frame -> Stream.concat(
                        Stream.of(new byte[] {(byte) (int) frame}),
                        IntStream.range(0, 8).mapToObj(edit -> new byte[] {
                            (byte) (int) frame, 1, (byte) (edit | 14 << 3), (byte) (48 + 4 * edit), 0, 1, 2, 3, 4
                        })));
    }
}
