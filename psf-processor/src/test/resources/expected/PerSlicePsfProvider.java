package good;

import io.psf.api.spi.Binding;
import io.psf.api.spi.Function;
import io.psf.api.spi.HandlerProvider;
import io.psf.api.spi.ListedProvider;
import javax.annotation.processing.Generated;

/**
 * Provides the default body of {@link PerSlice} to a server.
 */
@Generated("io.psf.processor.PsfProcessor")
@ListedProvider
public final class PerSlicePsfProvider implements HandlerProvider {
    @Override
    public Function<?, ?> function() {
        return PerSlicePsf.FUNCTION;
    }

    @Override
    public String handler() {
        return "good.PerSlice";
    }

    @Override
    public Binding<?, ?> binding() {
        return PerSlicePsf.bind(new PerSlice() {});
    }

    @Override
    public boolean isDefault() {
        return true;
    }
}
