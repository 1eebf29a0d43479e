package io.psf.hadoop;

import io.psf.api.spi.CheckpointStore;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.StreamCapabilities;

/** A file that is being written. Used by one thread at a time. */
final class WrittenFile implements CheckpointStore.NewFile {
    private static final int PIECE = 1 << 16;

    /** The most files that stay open until they are finished: on HDFS each has two threads. */
    private static final int MOST_OPEN = 32;

    private final FileSystem files;
    private final Path path;
    private final FSDataOutputStream out;
    private final AtomicInteger allOpen;
    private boolean isOpen = true;
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
        return isOpen;
    }

    @Override
    public void end() throws IOException {
        if (allOpen.get() > MOST_OPEN) {
            closeStream();
        }
    }

    private void closeStream() throws IOException {
        if (isOpen) {
            isOpen = false;
            allOpen.decrementAndGet();
            out.close();
        }
    }

    @Override
    public void finish() throws IOException {
        closeStream();
        isFinished = true;
    }

    /** Gives the file up unless it is finished: an upload is aborted, since closing it would complete it. */
    @Override
    public void close() throws IOException {
        if (isFinished) {
            return;
        }
        try {
            if (isOpen && out.hasCapability(StreamCapabilities.ABORTABLE_STREAM)) {
                var unused = out.abort();
            }
            closeStream();
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
