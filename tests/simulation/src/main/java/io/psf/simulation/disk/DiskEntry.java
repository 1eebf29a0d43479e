package io.psf.simulation.disk;

import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.util.SplittableRandom;

/** A file or a folder of a {@link Disk}, which may have several names. */
sealed interface DiskEntry permits DiskFile, DiskFolder {
    /** Returns the number of the entry on its disk. */
    long number();

    /** Returns the length in bytes; 0 for a folder. */
    long size();

    /** Returns when it was last changed, in milliseconds since 1970. */
    long modifiedMillis();

    /** Makes what it has now last. Of a folder: its names, and not what they stand for. */
    void force();

    /** Loses changes that were not forced, from one that is drawn on. */
    void lose(SplittableRandom random);

    /** Returns what the system says of it now. */
    default BasicFileAttributes attributes() {
        return new Attributes(number(), this instanceof DiskFolder, size(), FileTime.fromMillis(modifiedMillis()));
    }

    /** What the system says of an entry. */
    record Attributes(long number, boolean isDirectory, long size, FileTime lastModifiedTime)
            implements BasicFileAttributes {
        @Override
        public FileTime lastAccessTime() {
            return lastModifiedTime;
        }

        @Override
        public FileTime creationTime() {
            return lastModifiedTime;
        }

        @Override
        public boolean isRegularFile() {
            return !isDirectory;
        }

        @Override
        public boolean isSymbolicLink() {
            return false;
        }

        @Override
        public boolean isOther() {
            return false;
        }

        @Override
        public Object fileKey() {
            return number;
        }
    }
}
