//! What does the page see? The gateway as the web chat's desk.

use std::sync::Arc;

use adapters::web::Web;
use async_trait::async_trait;
use bot_policy::access::Person;
use bot_policy::event::InboundEvent;
use bot_policy::id::Place;

use crate::House;
use crate::clock;
use crate::http::{Desk as PageDesk, DeskError, ScreenItem, SessionHash, Speaker};
use crate::store::{ScreenLine, StoreError};

pub(crate) struct Desk {
    pub(crate) house: Arc<House>,
    pub(crate) web: Arc<Web>,
}

fn told(error: StoreError) -> DeskError {
    DeskError(error.to_string())
}

#[async_trait]
impl PageDesk for Desk {
    async fn account(&self, session: SessionHash) -> Result<Option<String>, DeskError> {
        self.house
            .store
            .session(session.as_str().to_owned())
            .await
            .map_err(told)
    }

    async fn open_session(&self, session: SessionHash, account: &str) -> Result<(), DeskError> {
        self.house
            .store
            .open_session(
                session.as_str().to_owned(),
                account.to_owned(),
                clock::now(),
            )
            .await
            .map_err(told)
    }

    async fn accept(&self, event: InboundEvent) -> Result<(), DeskError> {
        let line = event.place.line.clone();
        self.house
            .take(&line, vec![event], None)
            .await
            .map_err(told)
    }

    async fn owner_of(&self, place: &Place) -> Result<Option<Person>, DeskError> {
        self.house
            .store
            .paired_by(place.clone())
            .await
            .map_err(told)
    }

    async fn transcript(&self, place: &Place) -> Result<Vec<ScreenItem>, DeskError> {
        let lines = self.house.store.screen(place.clone()).await.map_err(told)?;
        let items = lines
            .into_iter()
            .zip(1_i64..)
            .map(|(line, number)| match line {
                ScreenLine::Mine { at, text, message } => ScreenItem {
                    key: -number,
                    at: at.0,
                    from: Speaker::Mine,
                    body: adapters::web::said(&message, &text),
                },
                ScreenLine::Postern { key, at, body } => ScreenItem {
                    key,
                    at: at.0,
                    from: Speaker::Postern,
                    body,
                },
            });
        Ok(items.collect())
    }

    async fn healthy(&self) -> bool {
        self.house.store.waiting(clock::now()).await.is_ok()
    }

    fn web(&self) -> &Web {
        &self.web
    }
}
