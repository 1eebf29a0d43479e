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
 * Finds the file systems of Hadoop by their schemes, with the configuration on the class path ({@code core-site.xml}),
 * or another one.
 */
public final class HadoopStores implements CheckpointStoreProvider {
    /** The option for the first pause of a writer of HDFS that asks whether its file is complete. */
    private static final String PAUSE = "dfs.client.block.write.locateFollowingBlock.initial.delay.ms";

    /** The option for the number of these questions. The pause doubles each time. */
    private static final String QUESTIONS = "dfs.client.block.write.locateFollowingBlock.retries";

    private final Configuration configuration;

    /** Creates a provider with the configuration on the class path. */
    public HadoopStores() {
        this(new Configuration());
    }

    /** Creates a provider with a configuration, such as that of a Spark application. */
    public HadoopStores(Configuration configuration) {
        this.configuration = new Configuration(configuration);
        replaceDefault(PAUSE, "20"); // 400: more than the time of a small file
        replaceDefault(QUESTIONS, "10");
    }

    private void replaceDefault(String option, String value) {
        String[] from = configuration.getPropertySources(option);
        if (from == null || from.length == 0 || from[0].equals("hdfs-default.xml")) {
            configuration.set(option, value);
        }
    }

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
