package io.psf.hadoop;

import io.psf.api.spi.CheckpointStore;
import io.psf.api.spi.CheckpointStoreProvider;
import java.io.IOException;
import java.net.URI;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.UnsupportedFileSystemException;

/**
 * Finds the file systems of Hadoop by their schemes, with the configuration on the class path ({@code core-site.xml}).
 */
public final class HadoopStores implements CheckpointStoreProvider {
    private final Configuration configuration = new Configuration();

    @Override
    public boolean has(String scheme) {
        try {
            var unused = FileSystem.getFileSystemClass(scheme, configuration);
            return true;
        } catch (UnsupportedFileSystemException e) {
            return false;
        } catch (IOException e) {
            return true; // open says why
        }
    }

    @Override
    public CheckpointStore open(URI place) throws IOException {
        return new HadoopStore(FileSystem.get(place, configuration), new Path(place));
    }
}
