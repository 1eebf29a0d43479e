package io.psf.simulation.disk;

import java.io.IOException;
import java.net.URI;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.ProviderMismatchException;
import java.nio.file.WatchEvent;
import java.nio.file.WatchKey;
import java.nio.file.WatchService;
import org.jspecify.annotations.Nullable;

/** A path of a {@link Disk}: names as those of the default file system. */
final class DiskPath implements Path {
    private final DiskFileSystem files;
    private final Path names;

    DiskPath(DiskFileSystem files, Path names) {
        this.files = files;
        this.names = names;
    }

    static DiskPath of(Path path) {
        if (path instanceof DiskPath known) {
            return known;
        }
        throw new ProviderMismatchException(path + " (expected: a path of a simulated disk)");
    }

    Disk disk() {
        return files.disk();
    }

    Path names() {
        return names;
    }

    /** Returns the names from the root on. */
    Path absolute() {
        return Path.of("/").resolve(names).normalize();
    }

    String name() {
        return String.valueOf(names.getFileName());
    }

    private DiskPath with(Path other) {
        return new DiskPath(files, other);
    }

    private @Nullable DiskPath withNullable(@Nullable Path other) {
        return other == null ? null : with(other);
    }

    @Override
    public DiskFileSystem getFileSystem() {
        return files;
    }

    @Override
    public boolean isAbsolute() {
        return names.isAbsolute();
    }

    @Override
    public @Nullable DiskPath getRoot() {
        return withNullable(names.getRoot());
    }

    @Override
    public @Nullable DiskPath getFileName() {
        return withNullable(names.getFileName());
    }

    @Override
    public @Nullable DiskPath getParent() {
        return withNullable(names.getParent());
    }

    @Override
    public int getNameCount() {
        return names.getNameCount();
    }

    @Override
    public DiskPath getName(int index) {
        return with(names.getName(index));
    }

    @Override
    public DiskPath subpath(int begin, int end) {
        return with(names.subpath(begin, end));
    }

    @Override
    public boolean startsWith(Path other) {
        return other instanceof DiskPath of && of.files == files && names.startsWith(of.names);
    }

    @Override
    public boolean endsWith(Path other) {
        return other instanceof DiskPath of && of.files == files && names.endsWith(of.names);
    }

    @Override
    public DiskPath normalize() {
        return with(names.normalize());
    }

    @Override
    public DiskPath resolve(Path other) {
        return with(names.resolve(of(other).names));
    }

    @Override
    public DiskPath relativize(Path other) {
        return with(names.relativize(of(other).names));
    }

    @Override
    public URI toUri() {
        return URI.create("disk:" + absolute());
    }

    @Override
    public DiskPath toAbsolutePath() {
        return with(Path.of("/").resolve(names));
    }

    @Override
    public DiskPath toRealPath(LinkOption... options) throws IOException {
        disk().access(this);
        DiskEntry unused = disk().get(this);
        return with(absolute());
    }

    @Override
    public WatchKey register(WatchService watcher, WatchEvent.Kind<?>[] events, WatchEvent.Modifier... modifiers) {
        throw new UnsupportedOperationException("watching a simulated disk");
    }

    @Override
    public int compareTo(Path other) {
        return names.compareTo(of(other).names);
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof DiskPath of && of.files == files && names.equals(of.names);
    }

    @Override
    public int hashCode() {
        return names.hashCode();
    }

    @Override
    public String toString() {
        return names.toString();
    }
}
