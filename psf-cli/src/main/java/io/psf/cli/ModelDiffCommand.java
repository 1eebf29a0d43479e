package io.psf.cli;

import io.psf.api.TensorInfo;
import io.psf.api.spi.CheckpointStore;
import io.psf.builtin.Model;
import java.io.PrintWriter;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Compares the values of two steps of a model. */
@Command(
        name = "diff",
        description = {
            "Compares the values of two steps of a saved model, by tensor: the rows that have changed, were added and were"
                    + " removed, and the largest difference of two values."
        },
        footer = {"%nExample:", "  psf model diff ctr 1000 2000"},
        mixinStandardHelpOptions = true)
final class ModelDiffCommand implements Runnable {
    @Mixin
    private CheckpointsOption checkpoints = new CheckpointsOption();

    @Parameters(index = "0", paramLabel = "MODEL", description = "the model's name, as psf model list prints it")
    private String model = "";

    @Parameters(index = "1", paramLabel = "OLDER", description = "a step")
    private long older;

    @Parameters(index = "2", paramLabel = "NEWER", description = "the step that it is compared with")
    private long newer;

    @Spec
    private @Nullable CommandSpec spec;

    @Override
    public void run() {
        CheckpointStore place = checkpoints.place(System.getenv());
        Model one = Model.open(place, model, older);
        Model other = Model.open(place, model, newer);
        Table table = new Table(
                Table.name("TENSOR"),
                Table.number("CHANGED"),
                Table.number("ADDED"),
                Table.number("REMOVED"),
                Table.text("LARGEST"));
        Map<String, TensorInfo> before = tensors(one);
        Map<String, TensorInfo> after = tensors(other);
        after.forEach((name, tensor) -> {
            TensorInfo was = before.get(name);
            if (was == null) {
                table.add(name, 0, other.count(tensor.id()), 0, "a new tensor");
            } else if (was.width() != tensor.width() || was.grows() != tensor.grows()) {
                table.add(name, "-", "-", "-", was.shape() + " became " + tensor.shape());
            } else {
                ModelDiff.Result result = ModelDiff.of(one, other, tensor);
                table.add(name, result.changed(), result.added(), result.removed(), (float) result.largest());
            }
        });
        before.forEach((name, tensor) -> {
            if (!after.containsKey(name)) {
                table.add(name, 0, 0, one.count(tensor.id()), "a removed tensor");
            }
        });
        PrintWriter out = Objects.requireNonNull(spec, "spec").commandLine().getOut();
        table.lines().forEach(out::println);
        out.flush();
    }

    private static Map<String, TensorInfo> tensors(Model of) {
        Map<String, TensorInfo> all = new LinkedHashMap<>();
        of.checkpoint().tensors().forEach(each -> all.put(each.id().name(), each));
        return all;
    }
}
