package io.psf.gpu.shard;

import io.psf.api.array.EncodedFloats;
import io.psf.api.array.FloatArray;
import io.psf.gpu.driver.Block;
import io.psf.gpu.driver.PinnedMemory;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.jspecify.annotations.Nullable;

/**
 * Copies long arrays between host and device in pieces of whole rows. While one piece is copied, a kernel runs on the
 * other: there are two buffers on the device. Used by the lane of a workspace, within an operation: if one fails, the
 * operation waits for its copies.
 */
final class Pieces {
    /** The most bytes of an array that kernels read over the link: beyond, a copy is faster. */
    private static final int MOST_READ = 1 << 19;

    /** The most bytes of an array in other memory that are copied to page-locked memory first. */
    private static final int MOST_STAGED = 1 << 16;

    /** The bytes of four floats. */
    private static final int ALIGNMENT = 16;

    private final Workspace workspace;
    private final EncodedPieces encoded;
    /** Page-locked memory for pieces of arrays that are on the heap, by half; null until there is one. */
    private final @Nullable ByteBuffer[] heap = new ByteBuffer[2];

    Pieces(Workspace workspace) {
        this.workspace = workspace;
        this.encoded = new EncodedPieces(workspace, this);
    }

    /** Runs a kernel on a piece. */
    @FunctionalInterface
    interface Work {
        /**
         * Queues the kernel of a piece.
         *
         * @param piece the address of the piece on the device
         * @param first the first row of the piece
         * @param n the number of rows of the piece
         */
        void run(long piece, int first, int n);
    }

    /**
     * Returns the number of rows of a piece: as many as fit, at least 1 or 4. Pieces begin at multiples of 16 bytes.
     */
    static int rowsOfPiece(int width) {
        int rows = Math.max(1, Workspace.PIECE / width);
        return width % 4 == 0 ? rows : Math.max(4, rows & -4);
    }

    /**
     * Queues the copy of an array to the device, and a kernel on each piece. A short array in memory of the host that
     * the device reads is not copied. The array may be released when the stream has been synchronized.
     *
     * @param from [n, width] float32
     */
    void in(FloatArray from, int width, Work work) {
        EncodedFloats encoded = EncodedFloats.of(from);
        if (encoded != null) {
            this.encoded.in(from, encoded, width, work);
            return;
        }
        int rows = from.length() / width;
        int most = rowsOfPiece(width);
        if (rows > most) {
            inPieces(from, rows, most, width, work);
            return;
        }
        ByteBuffer direct = direct(from, 0);
        long there = direct.capacity() > MOST_READ ? 0 : address(direct);
        if (there != 0) {
            work.run(there, 0, rows);
        } else {
            long whole = buffer(0, rows, width).address();
            if (rows > 0) {
                workspace.stream().copyIn(direct, whole);
            }
            work.run(whole, 0, rows);
        }
        workspace.stream().record(workspace.half(0).copied); // then the memory of an array of the heap is free
    }

    private void inPieces(FloatArray from, int rows, int most, int width, Work work) {
        Block[] buffers = {buffer(0, most, width), buffer(1, most, width)};
        workspace.stream().record(workspace.half(0).used); // after the work before, which may use the buffers
        workspace.stream().record(workspace.half(1).used);
        int piece = 0;
        for (int first = 0; first < rows; first += most, piece++) {
            int n = Math.min(most, rows - first);
            Workspace.Half half = workspace.half(piece);
            workspace.copies().await(half.used);
            ByteBuffer direct = direct(from.slice(first * width, (first + n) * width), half.number);
            workspace.copies().copyIn(direct, buffers[half.number].address());
            workspace.copies().record(half.copied);
            workspace.stream().await(half.copied);
            work.run(buffers[half.number].address(), first, n);
            workspace.stream().record(half.used);
        }
    }

    /**
     * Returns memory off the heap with an array's values: its own, or a copy of an array on the heap, or of a short one
     * in memory that is not page-locked.
     */
    private ByteBuffer direct(FloatArray array, int half) {
        ByteBuffer own = array.offHeap();
        if (own != null && (own.capacity() > MOST_STAGED || PinnedMemory.address(own) != 0)) {
            return own;
        }
        workspace.half(half).copied.await(); // the memory is free
        int bytes = Math.multiplyExact(array.length(), Float.BYTES);
        ByteBuffer memory = heap[half];
        if (memory == null || memory.capacity() < bytes) {
            memory = workspace.hostMemory(bytes);
            heap[half] = memory;
        }
        ByteBuffer copy = memory.slice(0, bytes).order(ByteOrder.LITTLE_ENDIAN);
        FloatArray.view(copy).copyFrom(array);
        return copy;
    }

    /**
     * Queues a kernel that writes each piece, and the copies of the pieces to the host. A kernel writes page-locked
     * memory of the host itself if there is one piece. The array is filled when the stream has been synchronized.
     *
     * @param to [n, width] float32, off-heap; written
     */
    void out(FloatArray to, int width, Work work) {
        EncodedFloats encoded = EncodedFloats.of(to);
        if (encoded != null) {
            this.encoded.out(to, encoded, width, work);
            return;
        }
        int rows = to.length() / width;
        int most = rowsOfPiece(width);
        if (rows > most) {
            outPieces(to, rows, most, width, work);
            return;
        }
        ByteBuffer answer = answer(to);
        long there = address(answer);
        if (there != 0) {
            work.run(there, 0, rows);
            return;
        }
        long whole = buffer(0, rows, width).address();
        work.run(whole, 0, rows);
        if (rows > 0) {
            workspace.stream().copyOut(whole, answer);
        }
    }

    private void outPieces(FloatArray to, int rows, int most, int width, Work work) {
        Block[] buffers = {buffer(0, most, width), buffer(1, most, width)};
        int piece = 0;
        for (int first = 0; first < rows; first += most, piece++) {
            int n = Math.min(most, rows - first);
            Workspace.Half half = workspace.half(piece);
            if (piece > 1) {
                workspace.stream().await(half.copied);
            }
            work.run(buffers[half.number].address(), first, n);
            workspace.stream().record(half.used);
            workspace.copies().await(half.used);
            ByteBuffer part = answer(to.slice(first * width, (first + n) * width));
            workspace.copies().copyOut(buffers[half.number].address(), part);
            workspace.copies().record(half.copied);
        }
        workspace.stream().await(workspace.half(0).copied);
        workspace.stream().await(workspace.half(1).copied);
    }

    /** Returns the address at which kernels read and write an array, four floats at once; 0 if they cannot. */
    static long address(ByteBuffer array) {
        long address = PinnedMemory.address(array);
        return address % ALIGNMENT == 0 ? address : 0;
    }

    private static ByteBuffer answer(FloatArray array) {
        ByteBuffer own = array.offHeap();
        if (own == null) {
            throw new IllegalStateException("array for an answer: on the heap (expected: scratch memory of the shard)");
        }
        return own;
    }

    /** Returns the memory for a piece of float32 on the device. */
    Block buffer(int number, int rows, int width) {
        return workspace.scratch(workspace.half(number).name(), (long) Math.max(1, rows) * width * Float.BYTES);
    }
}
