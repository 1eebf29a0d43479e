package io.psf.spark;

import io.psf.api.spi.CheckpointStore;
import io.psf.api.spi.CheckpointStores;
import io.psf.hadoop.HadoopStores;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import org.apache.spark.SparkEnv;
import org.apache.spark.deploy.SparkHadoopUtil;

/** The place of an application's checkpoints. */
final class CheckpointPlace {
    private CheckpointPlace() {}

    /**
     * Opens a place: a directory, a folder of a file system of Hadoop, with the configuration that the application has
     * for Hadoop ({@code spark.hadoop.*}), or any other place.
     */
    static CheckpointStore open(String place) {
        try {
            if (place.contains("://")) {
                URI uri = URI.create(place);
                HadoopStores hadoop = new HadoopStores(
                        SparkHadoopUtil.get().newConfiguration(SparkEnv.get().conf()));
                if (hadoop.has(uri.getScheme())) {
                    return hadoop.open(uri);
                }
            }
            return CheckpointStores.open(place);
        } catch (IOException e) {
            throw new UncheckedIOException("spark.psf.checkpoints: " + place + ": not opened", e);
        }
    }
}
