package io.psf.simulation.disk;

import java.io.IOException;
import java.net.URI;
import java.nio.channels.FileChannel;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.AccessMode;
import java.nio.file.CopyOption;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileStore;
import java.nio.file.FileSystem;
import java.nio.file.LinkOption;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.FileAttributeView;
import java.nio.file.spi.FileSystemProvider;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The calls to a {@link Disk}. Each may take its time, or fail. */
final class DiskProvider extends FileSystemProvider {
    @Override
    public String getScheme() {
        return "disk";
    }

    private static Disk access(Path path) throws IOException {
        Disk disk = DiskPath.of(path).disk();
        disk.access(path);
        return disk;
    }

    @Override
    public FileChannel newFileChannel(Path path, Set<? extends OpenOption> options, FileAttribute<?>... attributes)
            throws IOException {
        Disk disk = access(path);
        DiskPath of = DiskPath.of(path);
        boolean isWritten = options.contains(StandardOpenOption.WRITE) || options.contains(StandardOpenOption.APPEND);
        boolean isNew = options.contains(StandardOpenOption.CREATE_NEW);
        DiskEntry found = disk.find(of);
        if (found != null && isWritten && isNew) {
            throw new FileAlreadyExistsException(path.toString());
        }
        if (found == null && isWritten && (isNew || options.contains(StandardOpenOption.CREATE))) {
            disk.requireSpace(path);
            found = disk.newFile();
            disk.parent(of).put(of.name(), found);
        }
        DiskChannel channel = new DiskChannel(of, found == null ? disk.get(of) : found, isWritten);
        if (isWritten && options.contains(StandardOpenOption.TRUNCATE_EXISTING)) {
            var unused = channel.truncate(0);
        }
        return channel;
    }

    @Override
    public SeekableByteChannel newByteChannel(
            Path path, Set<? extends OpenOption> options, FileAttribute<?>... attributes) throws IOException {
        return newFileChannel(path, options, attributes);
    }

    @Override
    public DirectoryStream<Path> newDirectoryStream(Path folder, DirectoryStream.Filter<? super Path> filter)
            throws IOException {
        List<Path> found = new ArrayList<>();
        for (String name : access(folder).folder(DiskPath.of(folder)).names()) {
            Path each = folder.resolve(name);
            if (filter.accept(each)) {
                found.add(each);
            }
        }
        return new DirectoryStream<>() {
            @Override
            public Iterator<Path> iterator() {
                try {
                    var unused = access(folder);
                } catch (IOException e) {
                    throw new DirectoryIteratorException(e);
                }
                return found.iterator();
            }

            @Override
            public void close() {}
        };
    }

    @Override
    public void createDirectory(Path folder, FileAttribute<?>... attributes) throws IOException {
        Disk disk = access(folder);
        DiskPath of = DiskPath.of(folder);
        if (disk.find(of) != null) {
            throw new FileAlreadyExistsException(folder.toString());
        }
        disk.requireSpace(folder);
        disk.parent(of).put(of.name(), disk.newFolder());
    }

    @Override
    public void delete(Path path) throws IOException {
        Disk disk = access(path);
        DiskPath of = DiskPath.of(path);
        if (disk.get(of) instanceof DiskFolder folder && !folder.isEmpty()) {
            throw new DirectoryNotEmptyException(path.toString());
        }
        disk.parent(of).remove(of.name());
    }

    @Override
    public void move(Path source, Path target, CopyOption... options) throws IOException {
        Disk disk = access(source);
        DiskPath from = DiskPath.of(source);
        DiskPath to = DiskPath.of(target);
        DiskEntry entry = disk.get(from);
        boolean replaces = Arrays.asList(options).contains(StandardCopyOption.REPLACE_EXISTING)
                || Arrays.asList(options).contains(StandardCopyOption.ATOMIC_MOVE);
        if (disk.find(to) != null && !replaces) {
            throw new FileAlreadyExistsException(target.toString());
        }
        DiskFolder folder = disk.parent(from);
        if (folder != disk.parent(to)) {
            throw new UnsupportedOperationException("moving " + source + " to another folder: " + target);
        }
        folder.rename(from.name(), to.name(), entry);
    }

    @Override
    public void copy(Path source, Path target, CopyOption... options) {
        throw new UnsupportedOperationException("copying " + source);
    }

    @Override
    public boolean isSameFile(Path path, Path other) throws IOException {
        Disk disk = access(path);
        return disk.get(DiskPath.of(path)) == disk.get(DiskPath.of(other));
    }

    @Override
    public void checkAccess(Path path, AccessMode... modes) throws IOException {
        DiskEntry unused = access(path).get(DiskPath.of(path));
    }

    @Override
    public <A extends BasicFileAttributes> A readAttributes(Path path, Class<A> type, LinkOption... options)
            throws IOException {
        return type.cast(access(path).get(DiskPath.of(path)).attributes());
    }

    @Override
    public boolean isHidden(Path path) {
        return false;
    }

    @Override
    public Map<String, Object> readAttributes(Path path, String attributes, LinkOption... options) {
        throw new UnsupportedOperationException("attributes " + attributes + " of " + path);
    }

    @Override
    public void setAttribute(Path path, String attribute, Object value, LinkOption... options) {
        throw new UnsupportedOperationException("attribute " + attribute + " of " + path);
    }

    @Override
    public <V extends FileAttributeView> @Nullable V getFileAttributeView(
            Path path, Class<V> type, LinkOption... options) {
        return null;
    }

    @Override
    public FileStore getFileStore(Path path) {
        throw new UnsupportedOperationException("the store of " + path);
    }

    @Override
    public FileSystem newFileSystem(URI uri, Map<String, ?> environment) {
        throw new UnsupportedOperationException("a disk without a machine: " + uri);
    }

    @Override
    public FileSystem getFileSystem(URI uri) {
        throw new UnsupportedOperationException("a disk without a machine: " + uri);
    }

    @Override
    public Path getPath(URI uri) {
        throw new UnsupportedOperationException("a disk without a machine: " + uri);
    }
}
