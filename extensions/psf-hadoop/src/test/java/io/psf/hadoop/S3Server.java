package io.psf.hadoop;

import java.net.URI;
import java.util.function.UnaryOperator;
import org.apache.hadoop.fs.FileSystem;
import org.gaul.s3proxy.AuthenticationType;
import org.gaul.s3proxy.S3Proxy;
import org.jclouds.ContextBuilder;
import org.jclouds.blobstore.BlobStore;
import org.jclouds.blobstore.BlobStoreContext;
import org.jclouds.blobstore.TransientApiMetadata;

/** A server of S3 with one bucket in the memory of this process, on a port of 127.0.0.1. */
public final class S3Server implements AutoCloseable {
    /** The property of the system that {@code core-site.xml} of the tests has the server's address from. */
    private static final String ENDPOINT = "psf.test.s3";

    private static final String BUCKET = "bucket";

    private final BlobStoreContext objects;
    private final S3Proxy server;

    /**
     * Starts a server.
     *
     * @param faults what stands before the objects
     */
    public S3Server(UnaryOperator<BlobStore> faults) throws Exception {
        objects = ContextBuilder.newBuilder(new TransientApiMetadata())
                .credentials("test", "test")
                .build(BlobStoreContext.class);
        objects.getBlobStore().createContainerInLocation(null, BUCKET);
        server = S3Proxy.builder()
                .blobStore(faults.apply(objects.getBlobStore()))
                .endpoint(URI.create("http://127.0.0.1:0"))
                .awsAuthentication(AuthenticationType.AWS_V2_OR_V4, "test", "test")
                .build();
        server.start();
        System.setProperty(ENDPOINT, endpoint());
    }

    /** Returns the server's address. */
    public String endpoint() {
        return "http://127.0.0.1:" + server.getPort();
    }

    /** Returns the place of a folder in the bucket. */
    public static String place(String folder) {
        return "s3a://" + BUCKET + "/" + folder;
    }

    /** Stops the server. Closes the file systems that Hadoop keeps for this process, since they have its address. */
    @Override
    public void close() {
        try (objects) {
            FileSystem.closeAll();
            server.stop();
        } catch (Exception e) {
            throw new IllegalStateException("server of S3 at " + endpoint() + ": not stopped", e);
        }
    }
}
