// Looks again while a check is under way.
(() => {
  "use strict";
  if (document.querySelector("[data-running]")) setTimeout(() => location.reload(), 700);
})();
