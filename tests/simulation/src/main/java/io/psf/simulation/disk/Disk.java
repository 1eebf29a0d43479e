package io.psf.simulation.disk;

import io.psf.simulation.machine.Machine;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.file.FileSystem;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * A disk in memory. Its faults: it is full, slow, or fails, and it loses what was not forced. Used by the machine's
 * threads alone, of which one runs at a time: without locks.
 */
public final class Disk {
    private final SplittableRandom random;
    private final DiskFolder root;
    private final DiskFileSystem files = new DiskFileSystem(this);
    private long entries;
    private boolean isFull;
    private int errorsPerMille;
    private long mostNanos;

    /**
     * Creates an empty disk.
     *
     * @param name a name of its own on the machine
     */
    public Disk(Machine machine, String name) {
        this.random = machine.random("disk of " + name);
        this.root = new DiskFolder(entries++);
    }

    /** Returns a folder of the disk, which may not exist. */
    public Path folder(String name) {
        return files.getPath("/" + name);
    }

    /** Returns the file system that the paths of this disk have. */
    public FileSystem files() {
        return files;
    }

    // Faults.

    /** Lets all writes fail, and all new names, or none. */
    public void setFull(boolean full) {
        isFull = full;
    }

    /** Lets calls fail: how many of 1,000. */
    public void setErrors(int perMille) {
        errorsPerMille = perMille;
    }

    /** Lets each call take up to a time, in nanoseconds. */
    public void setSlow(long most) {
        mostNanos = most;
    }

    /** Loses what was not forced, as when the machine loses its power. Nothing uses the disk meanwhile. */
    public void lose() {
        root.lose(random);
    }

    /** Ends all faults. */
    public void mend() {
        isFull = false;
        errorsPerMille = 0;
        mostNanos = 0;
    }

    // For its file system.

    /** Blocks for the time that a call takes. Fails if the call is to fail. */
    void access(Object where) throws IOException {
        if (mostNanos > 0) {
            long nanos = random.nextLong(mostNanos);
            try {
                Thread.sleep(nanos / 1_000_000, (int) (nanos % 1_000_000));
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new InterruptedIOException("interrupted at the disk");
            }
        }
        if (errorsPerMille > 0 && random.nextInt(1_000) < errorsPerMille) {
            throw new FileSystemException(where.toString(), null, "Input/output error");
        }
    }

    /** Requires that something can be added. */
    void requireSpace(Object where) throws IOException {
        if (isFull) {
            throw new FileSystemException(where.toString(), null, "No space left on device");
        }
    }

    DiskFile newFile() {
        return new DiskFile(entries++);
    }

    DiskFolder newFolder() {
        return new DiskFolder(entries++);
    }

    /** Returns what a path stands for; null if it does not exist. */
    @Nullable
    DiskEntry find(DiskPath path) throws IOException {
        DiskEntry at = root;
        for (Path each : path.absolute()) {
            if (at == null) {
                return null;
            } else if (!(at instanceof DiskFolder folder)) {
                throw new NotDirectoryException(path.toString());
            } else {
                at = folder.get(each.toString());
            }
        }
        return at;
    }

    DiskEntry get(DiskPath path) throws IOException {
        DiskEntry found = find(path);
        if (found == null) {
            throw new NoSuchFileException(path.toString());
        }
        return found;
    }

    DiskFolder folder(DiskPath path) throws IOException {
        if (get(path) instanceof DiskFolder folder) {
            return folder;
        }
        throw new NotDirectoryException(path.toString());
    }

    /** Returns the folder that has the name of a path, or would have it. */
    DiskFolder parent(DiskPath path) throws IOException {
        DiskPath parent = path.toAbsolutePath().getParent();
        return parent == null ? root : folder(parent);
    }
}
