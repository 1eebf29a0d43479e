package io.psf.builtin;

import io.psf.api.TensorInfo;
import java.nio.file.Path;

/**
 * Reads all rows of a saved model, in a JVM whose heap is smaller, and prints the number and the sum of the rows of each
 * tensor: {@code ReadModel DIRECTORY MODEL}.
 */
final class ReadModel {
    private ReadModel() {}

    public static void main(String[] arguments) {
        Model model = Model.open(Path.of(arguments[0]), arguments[1]);
        for (TensorInfo tensor : model.checkpoint().tensors()) {
            long[] rows = {0};
            double[] sum = {0};
            model.rows(tensor.id(), (key, values) -> {
                rows[0]++;
                for (float each : values) {
                    sum[0] += each;
                }
            });
            System.out.println(tensor.id() + " " + rows[0] + " " + (long) sum[0]);
        }
    }
}
