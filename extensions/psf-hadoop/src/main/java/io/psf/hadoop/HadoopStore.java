package io.psf.hadoop;

import io.psf.api.spi.CheckpointStore;
import io.psf.api.spi.CheckpointStores;
import java.io.Closeable;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.fs.EtagSource;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FSDataOutputStreamBuilder;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.PathIsNotEmptyDirectoryException;
import org.apache.hadoop.fs.permission.FsAction;
import org.apache.hadoop.hdfs.DistributedFileSystem.HdfsDataOutputStreamBuilder;
import org.apache.hadoop.ipc.RemoteException;
import org.jspecify.annotations.Nullable;

/**
 * Checkpoints in a folder of a file system of Hadoop.
 *
 * <p>A small file is published by a renaming, which refuses a name that is taken. In a store of objects an object
 * appears whole when its writer has ended: it is written in place, on the condition that no object has its name, where
 * the store has conditional writes.
 */
public final class HadoopStore implements CheckpointStore {
    /** The schemes of stores of objects. */
    private static final Set<String> OBJECTS = Set.of("s3a", "s3", "gs", "oss", "cosn", "obs");

    private static final String HDFS = "hdfs";

    /** The option for the time that a server waits for the lock of a server that has ended: some more than a lease. */
    private static final String LOCK_OUTLIVES = "psf.hdfs.lock.outlives";

    /** The option to refuse a name that is taken when the object is complete, of stores that can. */
    private static final String CONDITIONAL = "fs.option.create.conditional.overwrite";

    /** The option to ask for no object of the name, or of a folder's name, before: four requests less. */
    private static final String UNCHECKED = "fs.s3a.create.performance";

    private final FileSystem files;
    private final Path root;
    private final AtomicInteger open = new AtomicInteger();

    /**
     * Creates a store.
     *
     * @param root the folder, which {@link #prepare} creates if there is none
     */
    public HadoopStore(FileSystem files, Path root) {
        this.files = files;
        this.root = root;
    }

    /** On a store of objects an object is written and deleted: only that tells what a user may write. */
    @Override
    public void prepare() throws IOException {
        if (isOfObjects()) {
            Path probe = new Path(root, "probe-" + UUID.randomUUID());
            write(probe, new byte[0]);
            var unused = files.delete(probe, false);
            return;
        }
        if (!files.mkdirs(root)) {
            throw new FileSystemException(root.toString(), null, "not created");
        }
        files.access(root, FsAction.ALL);
    }

    private boolean isOfObjects() {
        return OBJECTS.contains(files.getScheme());
    }

    private Path path(String name) throws IOException {
        CheckpointStores.requireName(this, name);
        return new Path(root, name);
    }

    @Override
    public List<Entry> list(String folder) throws IOException {
        List<Entry> all = new ArrayList<>();
        try {
            for (FileStatus each : files.listStatus(folder.isEmpty() ? root : path(folder))) {
                all.add(entry(each));
            }
        } catch (FileNotFoundException e) {
            if (folder.isEmpty()) {
                throw missing(folder, e);
            }
            return List.of();
        }
        return all;
    }

    private static Entry entry(FileStatus found) {
        String tag = found instanceof EtagSource source ? source.getEtag() : null;
        return new Entry(
                found.getPath().getName(),
                found.isDirectory(),
                found.isFile() ? found.getLen() : Entry.NO_FILE,
                found.getModificationTime(),
                tag);
    }

    @Override
    public Entry file(String name) throws IOException {
        FileStatus found;
        try {
            found = files.getFileStatus(path(name));
        } catch (FileNotFoundException e) {
            throw missing(name, e);
        }
        if (!found.isFile()) {
            throw new FileSystemException(place(name), null, "a directory (expected: a file)");
        }
        return entry(found);
    }

    private NoSuchFileException missing(String name, FileNotFoundException cause) {
        NoSuchFileException missing = new NoSuchFileException(place(name));
        missing.initCause(cause);
        return missing;
    }

    @Override
    public SeekableByteChannel read(String name) throws IOException {
        try {
            return new ReadFile(files.open(path(name)), file(name).bytes());
        } catch (FileNotFoundException e) {
            throw missing(name, e);
        }
    }

    @Override
    public NewFile create(String name) throws IOException {
        Path path = path(name);
        return new WrittenFile(files, path, createNew(path), open);
    }

    /** Creates a file. HDFS forces each block to the disk when it is complete. */
    private FSDataOutputStream createNew(Path path) throws IOException {
        FSDataOutputStreamBuilder<?, ?> builder = files.createFile(path);
        if (builder instanceof HdfsDataOutputStreamBuilder hdfs) {
            builder = hdfs.syncBlock();
        }
        return builder.create()
                .overwrite(false)
                .recursive()
                .opt(CONDITIONAL, true)
                .opt(UNCHECKED, true)
                .build();
    }

    @Override
    public void publish(String name, byte[] content) throws IOException {
        Path path = path(name);
        if (files.exists(path)) {
            throw new FileAlreadyExistsException(place(name));
        } else if (isOfObjects()) {
            publishObject(name, path, content);
            return;
        }
        Path unfinished = path.suffix("." + UUID.randomUUID() + ".part");
        boolean finished = false;
        try {
            write(unfinished, content);
            finished = files.rename(unfinished, path);
            if (!finished) {
                throw new FileAlreadyExistsException(place(name));
            }
        } finally {
            if (!finished) {
                WrittenFile.deleteAfterFailure(files, unfinished);
            }
        }
    }

    private void publishObject(String name, Path path, byte[] content) throws IOException {
        try {
            write(path, content);
        } catch (IOException e) {
            byte[] found;
            try (FSDataInputStream in = files.open(path)) {
                found = in.readAllBytes();
            } catch (IOException none) {
                e.addSuppressed(none);
                throw e;
            }
            if (!Arrays.equals(found, content)) { // else it was written, and what failed is the answer or a second try
                throw (IOException) new FileAlreadyExistsException(place(name)).initCause(e);
            }
        }
    }

    private void write(Path path, byte[] content) throws IOException {
        try (FSDataOutputStream out = createNew(path)) {
            out.write(content);
        }
    }

    @Override
    public void delete(String name) throws IOException {
        Path path = path(name);
        try {
            if (!files.getFileStatus(path).isDirectory() || files.listStatus(path).length == 0) {
                var unused = files.delete(path, false);
            }
        } catch (FileNotFoundException | PathIsNotEmptyDirectoryException e) {
            return; // nothing is there, or it stays
        }
    }

    /**
     * On HDFS the writer of a file has a lease. It is renewed while its process runs, and given to another writer who
     * asks a minute after that has ended, and once more when the file is closed.
     */
    @Override
    public @Nullable Closeable lock(String name, byte[] content) throws IOException {
        Path path = path(name);
        if (!HDFS.equals(files.getScheme())) {
            throw new UnsupportedOperationException("file system " + files.getUri() + " has no locks");
        }
        try {
            FSDataOutputStream out = files.exists(path) ? files.append(path) : files.create(path, false);
            out.write(content);
            out.hflush();
            return out;
        } catch (RemoteException e) {
            if (e.getClassName().endsWith("AlreadyBeingCreatedException")
                    || e.getClassName().endsWith("RecoveryInProgressException")
                    || e.getClassName().endsWith("FileAlreadyExistsException")) {
                return null;
            }
            throw e;
        }
    }

    @Override
    public Duration lockOutlives() {
        return HDFS.equals(files.getScheme())
                ? Duration.ofSeconds(files.getConf().getTimeDuration(LOCK_OUTLIVES, 90, TimeUnit.SECONDS))
                : Duration.ZERO;
    }

    @Override
    public String place(String name) {
        return root + "/" + name.substring(0, Math.min(name.length(), 1000));
    }

    @Override
    public String toString() {
        return root.toString();
    }
}
