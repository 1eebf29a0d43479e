package io.psf.hadoop;

import io.psf.api.spi.CheckpointStore;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.StreamCapabilities;
import org.jspecify.annotations.Nullable;

/** A file that is being written. Used by one thread at a time. Once it is whole, another thread waits for the store. */
final class WrittenFile implements CheckpointStore.NewFile {
    private static final int PIECE = 1 << 16;

    /** The most files that stay open until they are finished: on HDFS each has two threads. */
    private static final int MOST_OPEN = 32;

    private static final int CLOSED_AT_ONCE = 8;

    /** Closes files. On HDFS each waits until all its bytes are on disks, on S3 until they are uploaded. */
    private static final Executor CLOSERS = closers();

    private final FileSystem files;
    private final Path path;
    private final FSDataOutputStream out;
    private final AtomicInteger allOpen;
    private @Nullable CompletableFuture<Void> closing;
    private boolean isFinished;

    /**
     * Creates a file.
     *
     * @param allOpen the number of all files that are open
     */
    WrittenFile(FileSystem files, Path path, FSDataOutputStream out, AtomicInteger allOpen) {
        this.files = files;
        this.path = path;
        this.out = out;
        this.allOpen = allOpen;
        allOpen.incrementAndGet();
    }

    private static Executor closers() {
        ThreadPoolExecutor threads = new ThreadPoolExecutor(
                CLOSED_AT_ONCE, CLOSED_AT_ONCE, 10, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), work -> {
                    Thread thread = new Thread(work, "psf-hadoop-close");
                    thread.setDaemon(true);
                    return thread;
                });
        threads.allowCoreThreadTimeOut(true);
        return threads;
    }

    @Override
    public int write(ByteBuffer bytes) throws IOException {
        int length = bytes.remaining();
        if (bytes.hasArray()) {
            out.write(bytes.array(), bytes.arrayOffset() + bytes.position(), length);
            bytes.position(bytes.limit());
            return length;
        }
        byte[] piece = new byte[Math.min(length, PIECE)];
        while (bytes.hasRemaining()) {
            int n = Math.min(piece.length, bytes.remaining());
            bytes.get(piece, 0, n);
            out.write(piece, 0, n);
        }
        return length;
    }

    @Override
    public boolean isOpen() {
        return closing == null || !closing.isDone();
    }

    @Override
    public void end() throws IOException {
        CompletableFuture<Void> begun = closing();
        if (allOpen.get() > MOST_OPEN) {
            await(begun);
        }
    }

    private CompletableFuture<Void> closing() {
        CompletableFuture<Void> begun = closing;
        if (begun == null) {
            begun = CompletableFuture.runAsync(this::closeStream, CLOSERS);
            closing = begun;
        }
        return begun;
    }

    private void closeStream() {
        try {
            out.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } finally {
            allOpen.decrementAndGet();
        }
    }

    private static void await(CompletableFuture<Void> closing) throws IOException {
        try {
            closing.join();
        } catch (CompletionException e) {
            if (e.getCause() instanceof UncheckedIOException known) {
                throw known.getCause();
            }
            throw e;
        }
    }

    @Override
    public void finish() throws IOException {
        await(closing());
        isFinished = true;
    }

    /** Gives the file up unless it is finished: an upload is aborted, since closing it would complete it. */
    @Override
    public void close() throws IOException {
        if (isFinished) {
            return;
        }
        try {
            if (closing == null && out.hasCapability(StreamCapabilities.ABORTABLE_STREAM)) {
                var unused = out.abort();
            }
            await(closing());
        } finally {
            deleteAfterFailure(files, path);
        }
    }

    static void deleteAfterFailure(FileSystem files, Path path) {
        try {
            var unused = files.delete(path, false);
        } catch (IOException e) {
            return; // the caller gets the failure of the write instead
        }
    }
}
