package io.psf.simulation.disk;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.NonWritableChannelException;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.WritableByteChannel;
import java.nio.file.FileSystemException;
import org.jspecify.annotations.Nullable;

/** An open file, or an open folder, which can be forced alone. */
final class DiskChannel extends FileChannel {
    private final DiskPath path;
    private final DiskEntry entry;
    private final boolean isWritten;
    private long position;

    DiskChannel(DiskPath path, DiskEntry entry, boolean isWritten) {
        this.path = path;
        this.entry = entry;
        this.isWritten = isWritten;
    }

    private DiskFile file() throws IOException {
        if (!isOpen()) {
            throw new ClosedChannelException();
        }
        path.disk().access(path);
        if (entry instanceof DiskFile file) {
            return file;
        }
        throw new FileSystemException(path.toString(), null, "Is a directory");
    }

    @Override
    public int read(ByteBuffer into) throws IOException {
        int read = file().read(position, into);
        position += Math.max(0, read);
        return read;
    }

    @Override
    public int read(ByteBuffer into, long at) throws IOException {
        return file().read(at, into);
    }

    @Override
    public long read(ByteBuffer[] into, int offset, int length) throws IOException {
        long sum = 0;
        for (int i = offset; i < offset + length; i++) {
            int read = read(into[i]);
            if (read < 0) {
                return sum == 0 ? -1 : sum;
            }
            sum += read;
        }
        return sum;
    }

    @Override
    public int write(ByteBuffer from) throws IOException {
        int written = write(from, position);
        position += written;
        return written;
    }

    @Override
    public int write(ByteBuffer from, long at) throws IOException {
        DiskFile file = file();
        if (!isWritten) {
            throw new NonWritableChannelException();
        }
        path.disk().requireSpace(path);
        int written = from.remaining();
        file.write(Math.toIntExact(at), from);
        return written;
    }

    @Override
    public long write(ByteBuffer[] from, int offset, int length) throws IOException {
        long sum = 0;
        for (int i = offset; i < offset + length; i++) {
            sum += write(from[i]);
        }
        return sum;
    }

    @Override
    public long position() throws IOException {
        return position;
    }

    @Override
    public FileChannel position(long at) {
        position = at;
        return this;
    }

    @Override
    public long size() throws IOException {
        return file().size();
    }

    @Override
    public FileChannel truncate(long size) throws IOException {
        file().truncate(Math.toIntExact(size));
        position = Math.min(position, size);
        return this;
    }

    @Override
    public void force(boolean metadata) throws IOException {
        if (!isOpen()) {
            throw new ClosedChannelException();
        }
        path.disk().access(path);
        entry.force();
    }

    /** Returns null if another open channel, which may be another node's, has the lock. */
    @Override
    public @Nullable FileLock tryLock(long at, long size, boolean isShared) throws IOException {
        return file().lock(this) ? new Lock(this, at, size, isShared) : null;
    }

    @Override
    public FileLock lock(long at, long size, boolean isShared) {
        throw new UnsupportedOperationException("waiting for the lock of " + path);
    }

    /** The lock of a whole file. */
    private static final class Lock extends FileLock {
        Lock(FileChannel of, long at, long size, boolean isShared) {
            super(of, at, size, isShared);
        }

        @Override
        public boolean isValid() {
            return channel().isOpen();
        }

        @Override
        public void release() {
            if (acquiredBy() instanceof DiskChannel by && by.entry instanceof DiskFile file) {
                file.unlock(by);
            }
        }
    }

    @Override
    public long transferTo(long at, long count, WritableByteChannel target) {
        throw new UnsupportedOperationException("transfer from " + path);
    }

    @Override
    public long transferFrom(ReadableByteChannel from, long at, long count) {
        throw new UnsupportedOperationException("transfer to " + path);
    }

    @Override
    public MappedByteBuffer map(MapMode mode, long at, long size) {
        throw new UnsupportedOperationException("mapping " + path);
    }

    @Override
    protected void implCloseChannel() {
        if (entry instanceof DiskFile file) {
            file.unlock(this);
        }
    }
}
