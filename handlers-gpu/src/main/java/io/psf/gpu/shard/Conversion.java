package io.psf.gpu.shard;

import io.psf.api.array.EncodedFloats;
import io.psf.api.array.FloatType;
import io.psf.gpu.driver.Block;
import io.psf.gpu.driver.PinnedMemory;
import io.psf.gpu.driver.Stream;

/**
 * Converts values of requests and answers that are float16, bfloat16 or INT8 on the wire: their bytes cross the link,
 * and kernels convert them.
 */
final class Conversion {
    /** The most bytes of an array that kernels read over the link. */
    private static final int MOST_READ = 1 << 18;

    private final Workspace workspace;

    Conversion(Workspace workspace) {
        this.workspace = workspace;
    }

    /**
     * Values of a piece where kernels reach them.
     *
     * @param values the address of the values
     * @param factors the address of their factors, of INT8
     * @param from their format and blocks
     */
    record Piece(long values, long factors, EncodedFloats from) {}

    /** Returns the bytes of n values without factors. */
    private static long bytes(FloatType type, long n) {
        return type.isHalf() ? Short.BYTES * n : n;
    }

    /** Takes memory for a piece of at most n values, in one half of the double buffer. */
    Block buffer(EncodedFloats encoded, long n, int half) {
        long factors = encoded.type().isHalf() ? 0 : Float.BYTES * (n / encoded.block() + 2);
        return workspace.scratch(
                workspace.half(half).name() + ", encoded", factors + Math.max(1, bytes(encoded.type(), n)));
    }

    private static Piece at(Block buffer, EncodedFloats encoded) {
        return new Piece(buffer.address() + encoded.factors().capacity(), buffer.address(), encoded);
    }

    /** Queues the copy of a piece to the device, unless kernels read it where it is. */
    static Piece in(EncodedFloats encoded, Block buffer, Stream copies, boolean mayBeRead) {
        long bytes = bytes(encoded.type(), encoded.values().capacity());
        long there = PinnedMemory.address(encoded.values());
        if (mayBeRead && encoded.type().isHalf() && bytes <= MOST_READ && there % Short.BYTES == 0 && there != 0) {
            return new Piece(there, 0, encoded);
        }
        Piece piece = at(buffer, encoded);
        if (bytes > 0) {
            copies.copyIn(encoded.values(), bytes, piece.values());
        }
        if (encoded.factors().capacity() > 0) {
            copies.copyIn(encoded.factors(), encoded.factors().capacity(), piece.factors());
        }
        return piece;
    }

    /** Queues that a piece is read as float32. */
    void decode(Piece piece, long into) {
        EncodedFloats from = piece.from();
        int n = from.values().capacity();
        if (from.type().isHalf()) {
            workspace.kernels().decode(new Rows(piece.values(), 1, from.type()), 0, into, n);
        } else {
            workspace.kernels().decodeBytes(piece.values(), piece.factors(), from.block(), from.first(), into, n);
        }
    }

    /** Queues that a piece of an answer is converted on the device. */
    Piece encode(long floats, EncodedFloats to, Block buffer) {
        Piece piece = at(buffer, to);
        int n = to.values().capacity();
        if (to.type().isHalf()) {
            workspace.kernels().encode(new Rows(piece.values(), 1, to.type()), 0, floats, n);
        } else {
            workspace.kernels().encodeBytes(floats, n, to.block(), piece.factors(), piece.values());
        }
        return piece;
    }

    /** Queues the copy of a converted piece to the host. */
    static void out(Piece piece, Stream copies) {
        EncodedFloats to = piece.from();
        long bytes = bytes(to.type(), to.values().capacity());
        if (bytes > 0) {
            copies.copyOut(piece.values(), to.values(), bytes);
        }
        if (to.factors().capacity() > 0) {
            copies.copyOut(piece.factors(), to.factors(), to.factors().capacity());
        }
    }
}
