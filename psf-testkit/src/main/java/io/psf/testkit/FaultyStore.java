package io.psf.testkit;

import io.psf.api.spi.CheckpointStore;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SeekableByteChannel;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;

/**
 * A store that does not keep the promises of {@link CheckpointStore}, as a test says: it fails, waits, loses files, or
 * lists late. A test may watch what is written. For tests of what becomes of checkpoints then. Thread-safe.
 *
 * <pre>{@code
 * FaultyStore store = new FaultyStore(new FolderStore(folder));
 * store.failAt(7);   // the seventh call from now on throws an IOException
 * }</pre>
 */
public final class FaultyStore implements CheckpointStore {
    /** What becomes of a file that is finished or published. */
    public enum Loss {
        /** It is there. */
        NONE,
        /** It is not there, and the call returns. */
        GONE,
        /** Half of its bytes are there, and the call returns. */
        SHORT,
        /** It is not there, and the call fails. */
        FAILED
    }

    /** Is told of files. Called by any thread of a server. */
    @FunctionalInterface
    public interface Watcher {
        /**
         * Is told the name of a file that is to be written. May block.
         *
         * @throws IOException in place of the file
         */
        void writes(String name) throws IOException;
    }

    private static final int NEVER = Integer.MAX_VALUE;

    private final CheckpointStore store;
    private final Watcher watcher;
    private final Semaphore passes = new Semaphore(0);
    private final Semaphore waiting = new Semaphore(0);
    private int calls;
    private int failing = NEVER;
    private int lastFailing = NEVER;
    private Loss loss = Loss.NONE;
    private String lost = "";
    private boolean waits;
    private boolean listsLate;
    /** The entries of the files that were deleted late, by name. */
    private final Map<String, Entry> deleted = new HashMap<>();
    /** The files that were written late, by name. */
    private final Set<String> written = new HashSet<>();

    /** Creates a store that passes all calls on. */
    public FaultyStore(CheckpointStore store) {
        this(store, name -> {});
    }

    /** Creates a store that tells a watcher of each file that is to be written, and passes all calls on. */
    public FaultyStore(CheckpointStore store, Watcher watcher) {
        this.store = store;
        this.watcher = watcher;
    }

    /**
     * Lets one call fail.
     *
     * @param call the number of the call, the next one being 1. Calls on files that are written count, too
     */
    public synchronized void failAt(int call) {
        failing = calls + call;
        lastFailing = failing;
    }

    /** Lets all calls fail from now on. */
    public synchronized void fail() {
        failing = calls + 1;
        lastFailing = NEVER;
    }

    /** Returns true if a call was to fail and none has yet. */
    public synchronized boolean isToFail() {
        return calls < failing && failing != NEVER;
    }

    /**
     * Loses files from now on.
     *
     * @param suffix the end of their names, such as {@code .pack}
     */
    public synchronized void lose(String suffix, Loss loss) {
        this.lost = suffix;
        this.loss = loss;
    }

    /** Lets the end of each file that is written wait for a {@link #pass}. */
    public synchronized void waitAtEnds() {
        waits = true;
    }

    /** Lets files pass that wait, or will wait. */
    public void pass(int files) {
        passes.release(files);
    }

    /** Blocks until a file waits. */
    public void awaitWaiting() throws InterruptedException {
        waiting.acquire();
    }

    /** Lists no file that is written from now on, and lists files that are deleted. */
    public synchronized void listLate() {
        listsLate = true;
    }

    /** Ends all faults. */
    public synchronized void mend() {
        failing = NEVER;
        loss = Loss.NONE;
        waits = false;
        listsLate = false;
        deleted.clear();
        written.clear();
    }

    private synchronized void call(String what) throws IOException {
        calls++;
        if (calls >= failing && calls <= lastFailing) {
            throw new IOException("call " + calls + " of a store, " + what + ": fails, as a test says");
        }
    }

    private synchronized Loss loss(String name) {
        return name.endsWith(lost) ? loss : Loss.NONE;
    }

    @Override
    public void prepare() throws IOException {
        store.prepare();
    }

    @Override
    public List<Entry> list(String folder) throws IOException {
        call("list of " + folder);
        List<Entry> all = new ArrayList<>();
        for (Entry each : store.list(folder)) {
            if (isListed(folder.isEmpty() ? each.name() : folder + "/" + each.name(), each)) {
                all.add(each);
            }
        }
        synchronized (this) {
            deleted.forEach((name, entry) -> {
                if (name.equals(folder + "/" + entry.name())) {
                    all.add(entry);
                }
            });
        }
        return all;
    }

    /** A folder is listed if a file in it is. */
    private boolean isListed(String name, Entry entry) throws IOException {
        if (!entry.isFolder()) {
            synchronized (this) {
                return !written.contains(name);
            }
        }
        for (Entry each : store.list(name)) {
            if (isListed(name + "/" + each.name(), each)) {
                return true;
            }
        }
        return false;
    }

    @Override
    public Entry file(String name) throws IOException {
        call("entry of " + name);
        return store.file(name);
    }

    @Override
    public SeekableByteChannel read(String name) throws IOException {
        call("read of " + name);
        return store.read(name);
    }

    @Override
    public NewFile create(String name) throws IOException {
        watcher.writes(name);
        call("create of " + name);
        NewFile file = store.create(name);
        isWritten(name);
        return new Writing(name, file);
    }

    private synchronized void isWritten(String name) {
        if (listsLate) {
            written.add(name);
        }
    }

    @Override
    public void publish(String name, byte[] content) throws IOException {
        watcher.writes(name);
        call("publication of " + name);
        switch (loss(name)) {
            case NONE -> store.publish(name, content);
            case SHORT -> store.publish(name, Arrays.copyOf(content, content.length / 2));
            case FAILED -> throw new IOException("publication of " + name + ": fails, as a test says");
            case GONE -> {}
        }
        isWritten(name);
    }

    @Override
    public void delete(String name) throws IOException {
        call("deletion of " + name);
        deletesLate(name);
        store.delete(name);
    }

    private synchronized void deletesLate(String name) {
        if (listsLate && !written.contains(name)) {
            try {
                deleted.put(name, store.file(name));
            } catch (IOException e) {
                return; // there is no file
            }
        }
    }

    @Override
    public @Nullable Closeable lock(String name, byte[] content) throws IOException {
        return store.lock(name, content);
    }

    @Override
    public String place(String name) {
        return store.place(name);
    }

    @Override
    public String toString() {
        return store.toString();
    }

    /** A file that is being written. */
    private final class Writing implements NewFile {
        private final String name;
        private final NewFile file;
        private long bytes;

        Writing(String name, NewFile file) {
            this.name = name;
            this.file = file;
        }

        @Override
        public int write(ByteBuffer from) throws IOException {
            call("write of " + name);
            int n = file.write(from);
            bytes += n;
            return n;
        }

        @Override
        public boolean isOpen() {
            return file.isOpen();
        }

        @Override
        public void end() throws IOException {
            call("end of " + name);
            file.end();
        }

        @Override
        public void finish() throws IOException {
            call("finish of " + name);
            boolean isWaiting;
            synchronized (FaultyStore.this) {
                isWaiting = waits;
            }
            if (isWaiting) {
                waiting.release();
                passes.acquireUninterruptibly();
            }
            switch (loss(name)) {
                case NONE -> file.finish();
                case SHORT -> cut();
                case FAILED -> {
                    file.close();
                    throw new IOException("finish of " + name + ": fails, as a test says");
                }
                case GONE -> file.close();
            }
        }

        private void cut() throws IOException {
            file.finish();
            ByteBuffer half = ByteBuffer.allocate(Math.toIntExact(bytes / 2));
            try (SeekableByteChannel whole = store.read(name)) {
                while (half.hasRemaining() && whole.read(half) >= 0) {}
            }
            store.delete(name);
            try (NewFile again = store.create(name)) {
                for (half.flip(); half.hasRemaining(); ) {
                    again.write(half);
                }
                again.finish();
            }
        }

        @Override
        public void close() throws IOException {
            file.close();
        }
    }
}
