package bad;

import io.psf.api.*;
import io.psf.api.array.*;
import io.psf.api.layout.*;
import java.util.*;
import java.util.concurrent.*;

/** A response that is filled cannot stand in a request; its older call is no second error. */
@PsFunction("bad.later")
public interface Later {
  record Request(TensorId tensor, @Since(2) Response before) {}

  record Response(@ByRange FloatArray values) {} // ERROR [PsfType]

  Response handle(Request slice, Shard shard);
}
