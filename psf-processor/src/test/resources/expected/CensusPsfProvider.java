package good;

import io.psf.api.spi.Binding;
import io.psf.api.spi.Function;
import io.psf.api.spi.HandlerProvider;
import io.psf.api.spi.ListedProvider;
import javax.annotation.processing.Generated;

/**
 * Provides the default body of {@link Census} to a server.
 */
@Generated("io.psf.processor.PsfProcessor")
@ListedProvider
public final class CensusPsfProvider implements HandlerProvider {
    @Override
    public Function<?, ?> function() {
        return CensusPsf.FUNCTION;
    }

    @Override
    public String handler() {
        return "good.Census";
    }

    @Override
    public Binding<?, ?> binding() {
        return CensusPsf.bind(new Census() {});
    }

    @Override
    public boolean isDefault() {
        return true;
    }
}
