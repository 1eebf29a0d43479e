package io.psf.simulation.disk;

import java.nio.file.FileStore;
import java.nio.file.FileSystem;
import java.nio.file.Path;
import java.nio.file.PathMatcher;
import java.nio.file.WatchService;
import java.nio.file.attribute.UserPrincipalLookupService;
import java.util.List;
import java.util.Set;

/** The file system of a {@link Disk}, without permissions and symbolic links. */
final class DiskFileSystem extends FileSystem {
    private static final DiskProvider PROVIDER = new DiskProvider();

    private final Disk disk;

    DiskFileSystem(Disk disk) {
        this.disk = disk;
    }

    Disk disk() {
        return disk;
    }

    @Override
    public DiskProvider provider() {
        return PROVIDER;
    }

    @Override
    public void close() {
        throw new UnsupportedOperationException("closing a simulated disk");
    }

    @Override
    public boolean isOpen() {
        return true;
    }

    @Override
    public boolean isReadOnly() {
        return false;
    }

    @Override
    public String getSeparator() {
        return "/";
    }

    @Override
    public Iterable<Path> getRootDirectories() {
        return List.of(getPath("/"));
    }

    @Override
    public Iterable<FileStore> getFileStores() {
        return List.of();
    }

    @Override
    public Set<String> supportedFileAttributeViews() {
        return Set.of("basic");
    }

    @Override
    public Path getPath(String first, String... more) {
        return new DiskPath(this, Path.of(first, more));
    }

    @Override
    public PathMatcher getPathMatcher(String syntaxAndPattern) {
        PathMatcher matcher = Path.of("/").getFileSystem().getPathMatcher(syntaxAndPattern);
        return path -> matcher.matches(DiskPath.of(path).names());
    }

    @Override
    public UserPrincipalLookupService getUserPrincipalLookupService() {
        throw new UnsupportedOperationException("users of a simulated disk");
    }

    @Override
    public WatchService newWatchService() {
        throw new UnsupportedOperationException("watching a simulated disk");
    }
}
