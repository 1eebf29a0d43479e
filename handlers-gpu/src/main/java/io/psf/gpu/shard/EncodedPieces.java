package io.psf.gpu.shard;

import io.psf.api.array.EncodedFloats;
import io.psf.api.array.FloatArray;
import io.psf.gpu.driver.Block;
import java.util.Objects;

/**
 * Copies long arrays of another format than float32 in pieces, as {@link Pieces} does, and converts each on the device.
 */
final class EncodedPieces {
    private final Workspace workspace;
    private final Pieces pieces;
    private final Conversion conversion;

    EncodedPieces(Workspace workspace, Pieces pieces) {
        this.workspace = workspace;
        this.pieces = pieces;
        this.conversion = new Conversion(workspace);
    }

    /** Returns the number of rows of a piece: as many as fit, whose values begin at a block of INT8. */
    private static int rowsOfPiece(EncodedFloats encoded, int width) {
        int rows = Pieces.rowsOfPiece(width);
        return encoded.type().isHalf() || (long) rows * width % encoded.block() == 0
                ? rows
                : Math.max(1, rows / encoded.block() * encoded.block());
    }

    private static EncodedFloats part(FloatArray array, int width, int first, int n) {
        return Objects.requireNonNull(EncodedFloats.of(array.slice(first * width, (first + n) * width)));
    }

    /** Queues the copy of an array to the device, and a kernel on each piece, which is float32 there. */
    void in(FloatArray from, EncodedFloats encoded, int width, Pieces.Work work) {
        int rows = from.length() / width;
        int most = Math.max(1, Math.min(rows, rowsOfPiece(encoded, width)));
        Block[] floats = new Block[2];
        Block[] bytes = new Block[2];
        for (int half = 0; half < (rows > most ? 2 : 1); half++) { // before any work is queued
            floats[half] = pieces.buffer(half, most, width);
            bytes[half] = conversion.buffer(encoded, (long) most * width, half);
            workspace.stream().record(workspace.half(half).used); // after the work before, which may use the buffers
        }
        if (rows <= most) {
            long whole = floats[0].address();
            if (rows > 0) {
                conversion.decode(Conversion.in(encoded, bytes[0], workspace.stream(), true), whole);
            }
            work.run(whole, 0, rows);
            return;
        }
        int piece = 0;
        for (int first = 0; first < rows; first += most, piece++) {
            int n = Math.min(most, rows - first);
            Workspace.Half half = workspace.half(piece);
            workspace.copies().await(half.used);
            Conversion.Piece copied =
                    Conversion.in(part(from, width, first, n), bytes[half.number], workspace.copies(), false);
            workspace.copies().record(half.copied);
            workspace.stream().await(half.copied);
            conversion.decode(copied, floats[half.number].address());
            work.run(floats[half.number].address(), first, n);
            workspace.stream().record(half.used);
        }
    }

    /** Queues a kernel that writes each piece as float32, and its conversion and copy to the host. */
    void out(FloatArray to, EncodedFloats encoded, int width, Pieces.Work work) {
        int rows = to.length() / width;
        int most = Math.max(1, Math.min(rows, rowsOfPiece(encoded, width)));
        Block[] floats = new Block[2];
        Block[] bytes = new Block[2];
        for (int half = 0; half < (rows > most ? 2 : 1); half++) {
            floats[half] = pieces.buffer(half, most, width);
            bytes[half] = conversion.buffer(encoded, (long) most * width, half);
        }
        int piece = 0;
        for (int first = 0; first == 0 || first < rows; first += most, piece++) {
            int n = Math.min(most, rows - first);
            Workspace.Half half = workspace.half(piece);
            if (piece > 1) {
                workspace.stream().await(half.copied);
            }
            work.run(floats[half.number].address(), first, n);
            if (n == 0) {
                return;
            }
            Conversion.Piece converted =
                    conversion.encode(floats[half.number].address(), part(to, width, first, n), bytes[half.number]);
            if (rows <= most) {
                Conversion.out(converted, workspace.stream());
                return;
            }
            workspace.stream().record(half.used);
            workspace.copies().await(half.used);
            Conversion.out(converted, workspace.copies());
            workspace.copies().record(half.copied);
        }
        workspace.stream().await(workspace.half(0).copied);
        workspace.stream().await(workspace.half(1).copied);
    }
}
