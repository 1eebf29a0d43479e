package io.psf.testkit;

import io.psf.api.spi.CheckpointStore;
import java.io.Closeable;
import java.io.IOException;
import java.nio.channels.SeekableByteChannel;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A place of checkpoints that a test watches: before a file is written, a watcher is told its name, which may fail the
 * file, or block.
 *
 * @param to the place
 */
public record WatchedStore(CheckpointStore to, Watcher watcher) implements CheckpointStore {
    /** Is told of files. Called by any thread of a server. */
    @FunctionalInterface
    public interface Watcher {
        /**
         * Is told the name of a file that is to be written.
         *
         * @throws IOException in place of the file
         */
        void writes(String name) throws IOException;
    }

    @Override
    public void prepare() throws IOException {
        to.prepare();
    }

    @Override
    public List<Entry> list(String folder) throws IOException {
        return to.list(folder);
    }

    @Override
    public Entry file(String name) throws IOException {
        return to.file(name);
    }

    @Override
    public SeekableByteChannel read(String name) throws IOException {
        return to.read(name);
    }

    @Override
    public NewFile create(String name) throws IOException {
        watcher.writes(name);
        return to.create(name);
    }

    @Override
    public void publish(String name, byte[] content) throws IOException {
        watcher.writes(name);
        to.publish(name, content);
    }

    @Override
    public void delete(String name) throws IOException {
        to.delete(name);
    }

    @Override
    public @Nullable Closeable lock(String name, byte[] content) throws IOException {
        return to.lock(name, content);
    }

    @Override
    public String place(String name) {
        return to.place(name);
    }
}
