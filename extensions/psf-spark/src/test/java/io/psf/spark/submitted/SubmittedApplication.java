package io.psf.spark.submitted;

import io.psf.api.TensorId;
import io.psf.builtin.Optimizers;
import io.psf.builtin.TensorSpec;
import io.psf.builtin.Tensors;
import io.psf.spark.PsSpark;
import java.util.Arrays;
import java.util.Collections;
import org.apache.spark.TaskContext;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.sql.SparkSession;

/**
 * An application that is submitted: four tasks push ones to a tensor, and each of them calls the function of the
 * application's jar. The argument {@code start} starts the cluster without the plugin.
 */
public final class SubmittedApplication {
    private static final int TASKS = 4;

    private SubmittedApplication() {}

    /** Prints the executors' class loader of the function, and the tensor. */
    public static void main(String[] args) throws Exception {
        try (SparkSession spark = SparkSession.builder().getOrCreate()) {
            if (args.length > 0) {
                PsSpark.start(spark);
            }
            TensorId w =
                    Tensors.init(PsSpark.client(), TensorSpec.dense("w", 100).optimizer(Optimizers.add()));
            var counts = new JavaSparkContext(spark.sparkContext())
                    .parallelize(Collections.nCopies(TASKS, 0), TASKS)
                    .map(ignored -> {
                        float[] ones = new float[100];
                        Arrays.fill(ones, 1);
                        Tensors.push(PsSpark.client().task(TaskContext.get()), w, ones)
                                .await();
                        long above = CountAbovePsf.stub(PsSpark.client())
                                .call(w, 0)
                                .await()
                                .count();
                        return above + " in "
                                + CountAbove.class.getClassLoader().getClass().getSimpleName();
                    })
                    .collect();
            System.out.println("tasks: " + counts);
            System.out.println("servers: " + PsSpark.client().servers());
            float[] pulled = Tensors.pull(PsSpark.client(), w);
            System.out.println("tensor: from " + pulled[0] + " to " + pulled[99]);
        }
    }
}
