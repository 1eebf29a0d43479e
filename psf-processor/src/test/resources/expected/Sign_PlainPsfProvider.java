package good;

import io.psf.api.PsOptimizer;
import io.psf.api.spi.Arguments;
import io.psf.api.spi.ListedProvider;
import io.psf.api.spi.NamedProvider;
import java.lang.annotation.Annotation;
import java.util.List;
import javax.annotation.processing.Generated;

/**
 * Provides {@link Sign.Plain} to a node, by its name.
 */
@Generated("io.psf.processor.PsfProcessor")
@ListedProvider(NamedProvider.class)
public final class Sign_PlainPsfProvider implements NamedProvider {
    @Override
    public Class<? extends Annotation> kind() {
        return PsOptimizer.class;
    }

    @Override
    public String name() {
        return "good.sign.plain";
    }

    @Override
    public List<String> arguments() {
        return List.of();
    }

    @Override
    public Sign.Plain create(Arguments arguments) {
        return new Sign.Plain();
    }
}
