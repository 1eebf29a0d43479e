package io.psf.builtin.internal.checkpoint;

import io.psf.api.spi.CheckpointStore;
import io.psf.api.spi.StoredNode;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * A file that a lane writes and another thread stores: a disk may block for a second, and calls wait for the lane. Some
 * pieces at most are in memory. Written by one thread at a time.
 */
final class FileBehind implements CheckpointStore.NewFile {
    /** The most pieces in memory, of up to 64 KB each. */
    private static final int MOST = 32;

    private final StoredNode node;
    private final Opener opener;
    /** Null until the first piece is stored. Guarded by storing. */
    private CheckpointStore.@Nullable NewFile file;
    /** The pieces that are not stored. Guarded by this. */
    private final ArrayDeque<ByteBuffer> pieces = new ArrayDeque<>();
    /** Buffers of stored pieces. Guarded by this. */
    private final ArrayDeque<ByteBuffer> free = new ArrayDeque<>();
    /** Held while a piece is stored. */
    private final Object storing = new Object();
    /** Guarded by this. */
    private boolean isStoring;
    /** Guarded by this. */
    private boolean isEnded;
    /** Guarded by this. */
    private @Nullable Throwable failure;
    /** Completed when half of the memory is free again. Guarded by this. */
    private CompletableFuture<Void> room = CompletableFuture.completedFuture(null);

    /** Creates the file. */
    @FunctionalInterface
    interface Opener {
        /** Returns the file; called before the first piece is stored. */
        CheckpointStore.NewFile open() throws IOException;
    }

    /**
     * Prepares a file.
     *
     * @param node the node whose threads store it
     */
    FileBehind(StoredNode node, Opener opener) {
        this.node = node;
        this.opener = opener;
    }

    /** True if a piece can be written without storing another one first. */
    synchronized boolean hasRoom() {
        return pieces.size() < MOST;
    }

    /** Completed, on any thread, when there is room. */
    synchronized CompletionStage<Void> room() {
        if (room.isDone() && !hasRoom()) {
            room = new CompletableFuture<>();
        }
        return room;
    }

    /** Takes a piece. Stores those before it if there is no room. */
    @Override
    public int write(ByteBuffer bytes) throws IOException {
        if (!hasRoom()) {
            store();
        }
        int length = bytes.remaining();
        add(bytes);
        return length;
    }

    private void add(ByteBuffer bytes) throws IOException {
        synchronized (this) {
            requireStored();
            ByteBuffer known = free.poll();
            ByteBuffer piece = known != null && known.capacity() >= bytes.remaining()
                    ? known.clear()
                    : ByteBuffer.allocate(bytes.remaining());
            pieces.add(piece.put(bytes).flip());
        }
        begin();
    }

    /** Has a thread store what is there, unless one does. */
    private void begin() {
        synchronized (this) {
            if (isStoring) {
                return;
            }
            isStoring = true;
        }
        var unused = node.runApart("psf-save", this::storeAll);
    }

    private synchronized void requireStored() throws IOException {
        if (failure != null) {
            throw new IOException(failure.toString(), failure);
        }
    }

    private void storeAll() {
        do {
            store();
        } while (isMoreToStore());
    }

    private synchronized boolean isMoreToStore() {
        isStoring = !pieces.isEmpty();
        return isStoring;
    }

    /** Stores pieces until there are none, then says that no more follow if so. */
    private void store() {
        synchronized (storing) {
            try {
                for (ByteBuffer piece = next(); piece != null; piece = next()) {
                    while (piece.hasRemaining()) {
                        file().write(piece);
                    }
                    stored(piece);
                }
                if (endsNow()) {
                    file().end();
                }
            } catch (Throwable e) { // passed on to whoever writes the next piece, or waits for the file
                fail(e);
            }
        }
    }

    private CheckpointStore.NewFile file() throws IOException {
        CheckpointStore.NewFile known = file;
        if (known == null) {
            known = opener.open();
            file = known;
        }
        return known;
    }

    private synchronized @Nullable ByteBuffer next() {
        return pieces.poll();
    }

    /** True once, when all pieces of an ended file are stored. */
    private synchronized boolean endsNow() {
        boolean ends = isEnded && pieces.isEmpty() && failure == null;
        isEnded &= !ends;
        return ends;
    }

    private void stored(ByteBuffer piece) {
        CompletableFuture<Void> awaited = null;
        synchronized (this) {
            if (!isEnded) {
                free.add(piece);
            }
            if (pieces.size() <= MOST / 2) {
                awaited = room;
            }
        }
        if (awaited != null) {
            awaited.complete(null);
        }
    }

    private void fail(Throwable why) {
        CompletableFuture<Void> awaited;
        synchronized (this) {
            failure = why;
            pieces.clear();
            awaited = room;
        }
        awaited.complete(null);
    }

    @Override
    public synchronized boolean isOpen() {
        return failure == null;
    }

    @Override
    public void end() {
        synchronized (this) {
            isEnded = true;
            free.clear();
        }
        begin();
    }

    @Override
    public void finish() throws IOException {
        store();
        requireStored();
        synchronized (storing) {
            file().finish();
        }
    }

    @Override
    public void close() throws IOException {
        fail(new IOException("the save has failed"));
        synchronized (storing) {
            if (file != null) {
                file.close();
            }
        }
    }
}
