package good;

import io.psf.api.PsOptimizer;
import io.psf.api.spi.Arguments;
import io.psf.api.spi.ListedProvider;
import io.psf.api.spi.NamedProvider;
import java.lang.annotation.Annotation;
import java.util.List;
import javax.annotation.processing.Generated;

/**
 * Provides {@link Sign} to a node, by its name.
 */
@Generated("io.psf.processor.PsfProcessor")
@ListedProvider(NamedProvider.class)
public final class SignPsfProvider implements NamedProvider {
    @Override
    public Class<? extends Annotation> kind() {
        return PsOptimizer.class;
    }

    @Override
    public String name() {
        return "good.sign";
    }

    @Override
    public List<String> arguments() {
        return List.of("lr", "bound", "period", "seed", "decoupled", "mode");
    }

    @Override
    public Sign create(Arguments arguments) {
        return new Sign(
                arguments.float32("lr"),
                arguments.float64("bound"),
                arguments.int32("period"),
                arguments.int64("seed"),
                arguments.flag("decoupled"),
                arguments.text("mode"));
    }
}
