package good;

import io.psf.api.spi.Binding;
import io.psf.api.spi.Function;
import io.psf.api.spi.HandlerProvider;
import io.psf.api.spi.ListedProvider;
import javax.annotation.processing.Generated;

/**
 * Provides the default body of {@link Push} to a server.
 */
@Generated("io.psf.processor.PsfProcessor")
@ListedProvider
public final class PushPsfProvider implements HandlerProvider {
    @Override
    public Function<?, ?> function() {
        return PushPsf.FUNCTION;
    }

    @Override
    public String handler() {
        return "good.Push";
    }

    @Override
    public Binding<?, ?> binding() {
        return PushPsf.bind(new Push() {});
    }

    @Override
    public boolean isDefault() {
        return true;
    }
}
