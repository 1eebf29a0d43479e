package bad;

import io.psf.api.*;
import io.psf.api.array.*;
import io.psf.api.layout.*;
import java.util.*;
import java.util.concurrent.*;

final class Hidden {
  @PsFunction("bad.hidden")
  private interface Secret { // ERROR [PsfNotVisible]
    record Request(TensorId tensor) {}

    record Response() {}

    Response handle(Request slice, Shard shard);
  }
}
